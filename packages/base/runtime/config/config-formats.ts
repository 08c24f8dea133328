import { isIP } from 'node:net';
import { type NewToken, type TokenType, parseSecret } from '#base/tokens';

/** The formats in the configuration schema. Each function checks whether a value has the format. */
export const configFormats: Readonly<Record<string, (value: string) => boolean>> = {
  brokers: (value) => value.split(',').every((broker) => /^[^\s:/]+:\d{1,5}$/.test(broker.trim())),
  'http-urls': (value) => areOfOneProtocol(shardUrlsOf(value).flat()),
  'base-url': (value) => hasProtocol(['http:', 'https:'])(value) && isBase(new URL(value)),
  'postgres-url': hasProtocol(['postgres:', 'postgresql:']),
  'redis-url': hasProtocol(['redis:', 'rediss:']),
  's3-url': (value) => /^https?:\/\/[\w.:-]+(\/[\w.-]+)+$/.test(value),
  // No quotation marks: statements contain these values as text (clickhouse/export-usage.ts).
  's3-credential': (value) => /^[\w+/=.-]*$/.test(value),
  'secret-keys': (value) => splitList(value).every((key) => decodedKey(key) !== undefined),
  addresses: (value) => splitList(value).every(isAddressOrNetwork),
  pairs: (value) => splitList(value).every((pair) => decodedPair(pair) !== undefined),
  'project-roles': (value) => splitList(value).every((entry) => PROJECT_ROLE.test(entry)),
  origins: (value) => splitList(value).every(isOrigin),
  tokens: (value) => splitList(value).every((secret) => parseSecret(secret) !== undefined),
  'admin-tokens': (value) =>
    splitList(value).every((secret) => secret.startsWith('*:*.') && secret.length > 4),
};

/** Parses the tokens of an INIT_..._API_TOKENS variable that matches its format. */
export function tokensOf(type: TokenType, value: string): NewToken[] {
  return splitList(value).map((secret) => {
    const { project, environment } = parseSecret(secret) ?? { project: '*', environment: '*' };
    const projects = project === '*' || project === '[]' ? [] : [project];
    return { secret, name: `initial ${type}`, type, environment, projects, expiresAt: undefined };
  });
}

/** The environment in a secret; '*' means every environment. */
export function environmentOf(secret: string): string {
  return parseSecret(secret)?.environment ?? '*';
}

export function splitList(value: string): string[] {
  return value.split(',').flatMap((item) => item.trim() || []);
}

/** The addresses of each shard: shards are separated by semicolons, the replicas of a shard by commas. */
export function shardUrlsOf(value: string): string[][] {
  return value.split(';').map((shard) => shard.split(',').map((url) => url.trim()));
}

/** The keys of SECRETS_KEY, the newest first. */
export function secretKeysOf(value: string): Buffer[] {
  return splitList(value).flatMap((key) => decodedKey(key) ?? []);
}

const KEY_BYTES = 32;

function decodedKey(value: string): Buffer | undefined {
  const key = Buffer.from(value, 'base64');
  return key.length === KEY_BYTES && key.toString('base64') === value ? key : undefined;
}

/** A group may contain anything but a comma; a project is a name of URLs. */
const PROJECT_ROLE = /^(.+)=([\w.~-]+):([^:=+]+)(?::([^:=+]+(?:\+[^:=+]+)*))?$/;

/** The roles of projects that groups give. Without environments, a role is for every one. */
export function projectRolesOf(value: string) {
  return splitList(value).map((entry) => {
    const [, group = '', project = '', role = '', environments] = PROJECT_ROLE.exec(entry) ?? [];
    return { group, project, role, environments: environments?.split('+') ?? [] };
  });
}

/** The entries of a list of key=value. Values are percent-encoded: https://www.w3.org/TR/baggage/#value */
export function pairsOf(value: string): Record<string, string> {
  return Object.fromEntries(splitList(value).map((pair) => decodedPair(pair) ?? ['', '']));
}

function decodedPair(pair: string): [string, string] | undefined {
  const [, key = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*)$/.exec(pair) ?? [];
  try {
    return key === '' ? undefined : [key, decodeURIComponent(value)];
  } catch {
    return undefined;
  }
}

function hasProtocol(protocols: readonly string[]): (value: string) => boolean {
  return (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** The TLS settings apply to all of them or to none. */
function areOfOneProtocol(urls: readonly string[]): boolean {
  return ['http:', 'https:'].some((protocol) => urls.every(hasProtocol([protocol])));
}

function isAddressOrNetwork(value: string): boolean {
  const [address = '', bits, ...others] = value.split('/');
  const version = isIP(address);
  if (version === 0 || others.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Whether the text is an origin exactly as browsers send it: without a path, in lower case, without a default port. */
function isOrigin(value: string): boolean {
  return hasProtocol(['http:', 'https:'])(value) && new URL(value).origin === value;
}

/** Whether we can append paths to the URL and show it in logs. */
function isBase({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '');
}
