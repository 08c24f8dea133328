import kafkajs, { type AclEntry, type Admin } from 'kafkajs';
import { freePort } from '../../../infra/stack/index.ts';
import { eventually } from '../../support/eventually.ts';
import { type OwnEngine, ownKafka } from '../../support/engines/own-engines.ts';

const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, Kafka, ResourcePatternTypes, logLevel } =
  kafkajs;

/** What a user may do, such as `write topic flagmeter.counts`. A name that ends with `*` is a prefix. */
export type Acl = string;

/**
 * A Kafka that denies everything that no ACL allows, to users who log in by OAUTHBEARER. Whoever comes without a login may do
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
    allow: (user: string, acls: readonly Acl[]) => allow(admin, user, acls),
    async dispose(): Promise<void> {
      await admin.disconnect();
      await kafka.dispose();
    },
  };
}

/** Resolves when the broker applies the ACLs, which is a little later than the controller's answer. */
async function allow(admin: Admin, user: string, acls: readonly Acl[]): Promise<void> {
  await admin.createAcls({ acl: acls.map((acl) => entryOf(user, acl)) });
  const filter = {
    principal: `User:${user}`,
    operation: AclOperationTypes.ANY,
    permissionType: AclPermissionTypes.ANY,
    resourceType: AclResourceTypes.ANY,
    resourcePatternType: ResourcePatternTypes.ANY,
  };
  await eventually(
    () => admin.describeAcls(filter),
    ({ resources }) => resources.flatMap((resource) => resource.acls).length === acls.length,
  );
}

function entryOf(user: string, acl: Acl): AclEntry {
  const [operation = '', kind = '', name = ''] = acl.split(' ');
  const isPrefix = name.endsWith('*');
  return {
    principal: `User:${user}`,
    host: '*',
    operation: AclOperationTypes[operation.toUpperCase() as keyof typeof AclOperationTypes], // the test names them
    permissionType: AclPermissionTypes.ALLOW,
    resourceType: AclResourceTypes[kind.toUpperCase() as keyof typeof AclResourceTypes], // the test names them
    resourceName: isPrefix ? name.slice(0, -1) : name,
    resourcePatternType: isPrefix ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
  };
}
