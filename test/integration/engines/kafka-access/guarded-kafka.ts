import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import kafkajs, { type AclEntry, type Admin } from 'kafkajs';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { freePort, javaProgram, kafkaClassArchive, kafkaJars } from '../../../../tools/stack/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { type OwnEngine, ownKafka } from '../../../support/stack/engines/own-engines.ts';
import { isNight } from '../../../support/nightly.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, ResourcePatternTypes, logLevel } =
  kafkajs;

/**
 * A Kafka that denies everything that no ACL allows, to users who log in by OAUTHBEARER. Anyone who comes without a login may do
 * everything; that is the test.
 */
export async function startGuardedKafka() {
  const port = await freePort();
  const kafka: OwnEngine = await ownKafka({
    listeners: { SASL_PLAINTEXT: port },
    settings: {
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      'super.users': 'User:ANONYMOUS',
      'sasl.enabled.mechanisms': 'OAUTHBEARER',
      'listener.name.sasl_plaintext.oauthbearer.sasl.jaas.config':
        'org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="broker";',
    },
  });
  const admin = new Kafka({ brokers: [kafka.address], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  return {
    openAddress: kafka.address,
    guardedAddress: `127.0.0.1:${port}`,
    allow: (user: string, acls: readonly AclEntry[]) => allow(admin, user, acls),
    /** Runs `infra/kafka/acls.sh`, at night with the program of Kafka. Returns what each of the users then may do. */
    async allowAll<Name extends string>(users: readonly Name[]): Promise<Record<Name, AclEntry[]>> {
      if (isNight()) await runAcls(kafka.address, aclProgram());
      else {
        const acls = (await callsOfScript(kafka.address)).flatMap(aclsOf);
        for (const user of users)
          await allow(
            admin,
            user,
            acls.filter(({ principal }) => principal === `User:${user}`),
          );
      }
      const read = async (user: Name) => [user, await readAcls(admin, user)] as const;
      return Object.fromEntries(await Promise.all(users.map(read))) as Record<Name, AclEntry[]>;
    },
    async dispose(): Promise<void> {
      await admin.disconnect();
      await kafka.dispose();
    },
  };
}

/** For programs that end after a second. */
const FAST = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto';

/** As `bin/kafka-acls.sh` starts it. Each call takes a second of CPU. */
function aclProgram(): string {
  const java = `'${javaProgram}' ${FAST} -XX:SharedArchiveFile='${kafkaClassArchive}' -cp '${path.join(kafkaJars, '*')}'`;
  return `exec ${java} org.apache.kafka.tools.AclCommand "$@"`;
}

/** Runs the script with a program in place of `kafka-acls.sh`. Returns the output. */
async function runAcls(brokers: string, program: string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-acls-'));
  await writeFile(path.join(directory, 'kafka-acls.sh'), `#!/bin/sh\n${program}\n`, { mode: 0o700 });
  const env = inheritedEnv();
  const { stdout } = await promisify(execFile)('sh', ['infra/kafka/acls.sh'], {
    env: { ...env, PATH: `${directory}:${env['PATH'] ?? ''}`, KAFKA_BROKERS: brokers },
  });
  await rm(directory, { recursive: true });
  return stdout;
}

/** The arguments of each call of `kafka-acls.sh`. */
async function callsOfScript(brokers: string): Promise<string[][]> {
  const output = await runAcls(brokers, `printf '%s\\n' "$@" --`);
  const calls = output.split('\n--\n').filter((call) => call !== '');
  return calls.map((call) => call.split('\n'));
}

const OPERATIONS: Readonly<Record<string, AclEntry['operation']>> = {
  read: AclOperationTypes.READ,
  write: AclOperationTypes.WRITE,
  describe: AclOperationTypes.DESCRIBE,
  create: AclOperationTypes.CREATE,
  alter: AclOperationTypes.ALTER,
  alterConfigs: AclOperationTypes.ALTER_CONFIGS,
};

/** The ACLs that a call of `kafka-acls.sh` adds. */
function aclsOf(args: readonly string[]): AclEntry[] {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'bootstrap-server': { type: 'string' },
      add: { type: 'boolean' },
      'allow-principal': { type: 'string', default: '' },
      operation: { type: 'string', multiple: true, default: [] },
      topic: { type: 'string', multiple: true, default: [] },
      group: { type: 'string', multiple: true, default: [] },
      'resource-pattern-type': { type: 'string', default: 'literal' },
    },
  });
  const { PREFIXED, LITERAL } = ResourcePatternTypes;
  const common = {
    principal: values['allow-principal'],
    host: '*',
    permissionType: AclPermissionTypes.ALLOW,
    resourcePatternType: values['resource-pattern-type'] === 'prefixed' ? PREFIXED : LITERAL,
  };
  const resources = [
    ...values.topic.map((resourceName) => ({ resourceType: AclResourceTypes.TOPIC, resourceName })),
    ...values.group.map((resourceName) => ({ resourceType: AclResourceTypes.GROUP, resourceName })),
  ];
  return values.operation.flatMap((name) =>
    resources.map((resource) => ({
      ...common,
      ...resource,
      operation: OPERATIONS[name] ?? AclOperationTypes.UNKNOWN,
    })),
  );
}

/** Resolves when the broker applies the ACLs, which is a little later than the controller's answer. */
async function allow(admin: Admin, user: string, acls: readonly AclEntry[]): Promise<void> {
  await admin.createAcls({ acl: acls.map((acl) => ({ ...acl, principal: `User:${user}` })) });
  await eventually(
    () => readAcls(admin, user),
    (found) => found.length === acls.length,
  );
}

async function readAcls(admin: Admin, user: string): Promise<AclEntry[]> {
  const { resources } = await admin.describeAcls({
    principal: `User:${user}`,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ANY,
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.ANY,
  });
  return resources.flatMap(({ acls, ...resource }) => acls.map((acl) => ({ ...resource, ...acl })));
}
