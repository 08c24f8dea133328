import { type Judgement, ok, warn } from '../../finding.ts';

/** The oldest versions with which the tests of flagmeter run. */
const OLDEST = { Kafka: '4.0', ClickHouse: '26.7', Postgres: '15.0', Redis: '7.0' } as const;

/** Judges a version such as `26.7.3.19` or `15.14 (Debian 15.14-1)`. An older one may work, but no one has tried it. */
export function judgeVersion(engine: keyof typeof OLDEST, version: string): Judgement {
  const [found, oldest] = [partsOf(version), partsOf(OLDEST[engine])];
  const isOlder = found.major < oldest.major || (found.major === oldest.major && found.minor < oldest.minor);
  const text = `${engine} can be used; its version is ${version}.`;
  return isOlder
    ? warn(`${text} The oldest tested version is ${OLDEST[engine]}.`, `Update ${engine}.`)
    : ok(text);
}

function partsOf(version: string): { readonly major: number; readonly minor: number } {
  const [, major = '0', minor = '0'] = /^(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  return { major: Number(major), minor: Number(minor) };
}
