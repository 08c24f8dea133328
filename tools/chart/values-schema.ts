import { configSchema } from '#base/runtime';

type Schema = Readonly<Record<string, unknown>>;

/** The chart sets these itself, because they must fit its ports, volumes and probes. */
const OWNED = /^((HTTP|OPS)_HOST|(OPS_|ADMIN_)?PORT|SHUTDOWN_GRACE_MS|(LISTEN_)?TLS_\w+_FILE)$/;
const SECRET =
  /^(?!MAX_|ALLOW_).*(PASSWORD|TOKENS?|ACCESS_KEY(_ID)?|SECRETS?(_KEY)?|(DATABASE|OWNER|REDIS)_URL|OTLP_HEADERS)$/;

/** What Helm can check of a setting. Flagmeter checks the rest when it starts. */
const CHECKED = ['type', 'enum', 'minimum', 'maximum', 'description'];

const text: Schema = { type: 'string' };
const flag: Schema = { type: 'boolean' };
const list: Schema = { type: 'array' };
const free: Schema = { type: 'object' };
const name: Schema = { type: 'string', minLength: 1 };
const port: Schema = whole(1, 65_535);
const count = whole(0);
const pods = members({
  annotations: free,
  labels: free,
  nodeSelector: free,
  tolerations: list,
  affinity: free,
  priorityClassName: text,
  topologySpreadConstraints: list,
  env: list,
  volumes: list,
  volumeMounts: list,
  containers: list,
});
const workload: Record<string, Schema> = { resources: free, pods };
const names: Schema = { type: 'array', items: name };
const reached: Record<string, Schema> = {
  service: members({ type: text, port, annotations: free }),
  ingress: members({ className: text, annotations: free, hosts: names, tlsSecret: text }),
  httpRoute: members({ annotations: free, parentRefs: list, hostnames: names }),
};

/** The JSON schema of the values of the chart. Helm rejects values that it does not know. */
export function createValuesSchema(): Schema {
  const accepted = Object.keys(configSchema.properties).filter((setting) => !OWNED.test(setting));
  // The chart mounts secrets as files.
  const inFiles = accepted.filter((setting) => setting !== 'LOG_LEVEL');
  const open = Object.entries(configSchema.properties).filter(
    ([setting]) => accepted.includes(setting) && !SECRET.test(setting),
  );
  const key = members({ name, key: name }, ['name', 'key']);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...members({
      global: free,
      image: members({ repository: name, tag: text, pullPolicy: text, pullSecrets: list }),
      settings: members(Object.fromEntries(open.map(([setting, schema]) => [setting, checked(schema)])), [
        'KAFKA_BROKERS',
        'CLICKHOUSE_URL',
      ]),
      secrets: members(Object.fromEntries(inFiles.map((setting) => [setting, key])), [
        'DATABASE_URL',
        // The pods are several machines.
        'REDIS_URL',
      ]),
      tls: members({ enginesSecret: text, clientCertificate: flag, listenSecret: text }),
      shutdownGraceMs: whole(0, configSchema.properties.SHUTDOWN_GRACE_MS.maximum),
      terminationGracePeriodSeconds: whole(30),
      serviceAccount: members({ create: flag, name: text, annotations: free }),
      pods,
      ingest: members({ ...workload, ...reached, replicas: count, autoscaling: autoscaling() }),
      worker: members({ ...workload, replicas: count }),
      admin: members({ ...workload, ...reached, replicas: count }),
      'unleash-bridge': members({ ...workload, replicas: count, enabled: flag }),
      migrate: members({ ...workload, enabled: flag, deadlineSeconds: whole(1) }),
      networkPolicy: members({
        enabled: flag,
        relays: list,
        people: list,
        prometheus: list,
        enginePorts: { type: 'array', items: port, minItems: 1 },
        engines: list,
      }),
      monitoring: members({
        serviceMonitor: flag,
        alerts: flag,
        labels: free,
        dashboards: flag,
        dashboardLabels: free,
      }),
    }),
  };
}

function autoscaling(): Schema {
  return members({
    enabled: flag,
    minReplicas: whole(1),
    maxReplicas: whole(1),
    cpuUtilization: whole(1, 100),
    bytesInFlight: count,
  });
}

function members(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: 'object', additionalProperties: false, required, properties };
}

function whole(minimum: number, maximum?: number): Schema {
  return { type: 'integer', minimum, ...(maximum === undefined ? {} : { maximum }) };
}

function checked(schema: object): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([member]) => CHECKED.includes(member)));
}
