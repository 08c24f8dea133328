import { type NewToken, type TokenType, parseSecret } from '#tokens';

/** Formats that the schema of the configuration names: whether a value has one. */
export const configFormats: Readonly<Record<string, (value: string) => boolean>> = {
  brokers: (value) => value.split(',').every((broker) => /^[^\s:/]+:\d{1,5}$/.test(broker.trim())),
  'http-url': hasProtocol(['http:', 'https:']),
  'base-url': (value) => hasProtocol(['http:', 'https:'])(value) && isBase(new URL(value)),
  'postgres-url': hasProtocol(['postgres:', 'postgresql:']),
  'redis-url': hasProtocol(['redis:', 'rediss:']),
  tokens: (value) => splitList(value).every((secret) => parseSecret(secret) !== undefined),
  'admin-tokens': (value) =>
    splitList(value).every((secret) => secret.startsWith('*:*.') && secret.length > 4),
};

/** Tokens of an INIT_..._API_TOKENS variable that has passed its format. */
export function tokensOf(type: TokenType, value: string): NewToken[] {
  return splitList(value).map((secret) => {
    const { project, environment } = parseSecret(secret) ?? { project: '*', environment: '*' };
    const projects = project === '*' || project === '[]' ? [] : [project];
    return { secret, name: `initial ${type}`, type, environment, projects, expiresAt: undefined };
  });
}

/** The environment that a secret names; '*' is every one. */
export function environmentOf(secret: string): string {
  return parseSecret(secret)?.environment ?? '*';
}

export function splitList(value: string): string[] {
  return value.split(',').flatMap((item) => item.trim() || []);
}

function hasProtocol(protocols: readonly string[]): (value: string) => boolean {
  return (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** Paths are appended to it, and it appears in logs. */
function isBase({ username, password, search, hash }: URL): boolean {
  return [username, password, search, hash].every((part) => part === '');
}
