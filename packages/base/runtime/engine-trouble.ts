import { FlagmeterError } from './errors.ts';
import { sentenceOf } from './words.ts';

export type EngineName = 'Kafka' | 'ClickHouse' | 'Postgres' | 'Redis';

/** What flagmeter connects to. */
export type SystemName = EngineName | 'The identity provider';

/** Explains in one sentence why an engine cannot be used: its name, what to check, no secrets. */
export function explainTrouble(engine: SystemName, error: unknown): string {
  const causes = causesOf(error);
  for (const cause of causes) {
    const explanation = explain(engine, cause);
    if (explanation !== undefined) return explanation;
  }
  const innermost = causes.at(-1);
  const reason = innermost === undefined ? 'unknown error' : innermost.message || codeOf(innermost);
  return `${engine} cannot be used: ${sentenceOf(reason)}`;
}

/** As `explainTrouble`, but only with our own words, so that anybody may read it: an engine's text may name hosts and users. */
export function outlineTrouble(engine: EngineName, error: unknown): string {
  for (const cause of causesOf(error)) {
    const outline =
      cause instanceof FlagmeterError ? capitalised(sentenceOf(cause.message)) : explain(engine, cause);
    if (outline !== undefined) return outline;
  }
  return `${engine} cannot be used. The log has the reason.`;
}

/** Whether Kafka denied an operation, so that a repetition helps only after somebody has changed its ACLs. */
export function isAccessDenied(error: unknown): boolean {
  return causesOf(error).some((cause) => typeOf(cause) in DENIED);
}

/** The error for an engine that cannot be used. Its message is for the operator. */
export function engineError(engine: EngineName, cause: unknown): FlagmeterError {
  return new FlagmeterError('engine', explainTrouble(engine, cause), { cause });
}

/** The error and its causes, the outermost first. Clients wrap errors, Node.js groups the errors of all addresses of a name, and kafkajs those of all topics. */
function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const inner =
    'errors' in error && Array.isArray(error.errors) ? (error.errors as unknown[]) : [error.cause];
  return [error, ...inner.flatMap(causesOf)];
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}

function explain(engine: SystemName, error: Error): string | undefined {
  const code = codeOf(error);
  const network = NETWORK[code] ?? (isTimeout(error) ? 'it does not answer in time' : undefined);
  if (network !== undefined) return `${engine} cannot be reached: ${network}.`;
  if (UNTRUSTED.has(code))
    return `${engine} has a certificate of an unknown authority: name the authority in ${authoritySettingOf(engine)}.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `${engine} has a certificate for a different host name than the one in its address.`;
  if (code === 'CERT_HAS_EXPIRED') return `${engine} has an expired certificate.`;
  if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'EPROTO')
    return `${engine} does not speak TLS at its address.`;
  if (error.message === 'The server does not support SSL connections')
    return `${engine} does not speak TLS at its address.`;
  if (code === 'oauth-token') return `${engine} cannot be used: ${sentenceOf(error.message)}`;
  const denied = DENIED[typeOf(error)];
  if (denied !== undefined) return `${engine} denies access to ${denied}: ${SEE_ACLS}.`;
  // The client does not say which of the two it is.
  if (error.name === 'KafkaJSGroupCoordinatorNotFound')
    return `${engine} has no coordinator for the consumer group yet, or denies access to it: ${SEE_ACLS}.`;
  if (/mechanism is not supported/.test(error.message))
    return `${engine} does not offer the mechanism of KAFKA_SASL_MECHANISM.`;
  if (error.message.startsWith('unsupported startup parameter'))
    return `${engine} is behind a pooler that refuses our time limits: ${SEE_POOLERS}.`;
  if (isRejectedLogin(code, error))
    return `${engine} rejects the user name, the password or the client certificate.`;
  return undefined;
}

/** `fetch` of Node, with which the provider is asked, knows only its own. */
function authoritySettingOf(engine: SystemName): string {
  return engine === 'The identity provider' ? 'NODE_EXTRA_CA_CERTS' : 'TLS_CA_FILE';
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const SEE_ACLS = 'docs/operate/kafka.md lists the ACLs that each service needs';

const SEE_POOLERS = 'docs/operate/start.md lists the settings that a pooler needs';

/** Kafka's codes of operations that an ACL must allow. */
const DENIED: Readonly<Record<string, string>> = {
  TOPIC_AUTHORIZATION_FAILED: 'a topic',
  GROUP_AUTHORIZATION_FAILED: 'a consumer group',
  CLUSTER_AUTHORIZATION_FAILED: 'the cluster',
};

function typeOf(error: Error): string {
  return 'type' in error ? String(error.type) : '';
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at its address',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up',
  EHOSTUNREACH: 'there is no route to its host',
  ENETUNREACH: 'there is no route to its network',
  ETIMEDOUT: 'it does not answer in time',
};

const UNTRUSTED: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
]);

function isTimeout({ name, message }: Error): boolean {
  return name === 'KafkaJSRequestTimeoutError' || /\btime(d )?-?out\b/i.test(message);
}

/** Postgres: SQLSTATE class 28. ClickHouse: AUTHENTICATION_FAILED and older codes. Redis: error words of its protocol. */
function isRejectedLogin(code: string, { name, message }: Error): boolean {
  return (
    name === 'KafkaJSSASLAuthenticationError' ||
    /^28/.test(code) ||
    ['192', '193', '194', '516'].includes(code) ||
    /^(WRONGPASS|NOAUTH)\b/.test(message) ||
    /alert (bad certificate|certificate required|unknown ca|handshake failure)/.test(message)
  );
}
