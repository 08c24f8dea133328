import { BACKSLASH, OTHER_FORM } from './byte-cursor.ts';
import { MetricsReader, type ReadMetrics, type FastReading } from './metrics-reader.ts';

/** The counts of a body, and the body with an empty value in their place. */
type ReadApart = ReadMetrics & { readonly rest: Buffer };

type Form = {
  /** The member that has the counts, and how its value begins. */
  readonly name: string;
  readonly begin: string;
  readonly read: (reader: MetricsReader) => ReadMetrics;
};

const METRICS: Form = { name: '"metrics"', begin: ':[', read: (reader) => reader.readAll() };
const TOGGLES: Form = { name: '"toggles"', begin: ':{', read: (reader) => reader.readToggles() };

/** Adds up the metrics of a relay. Undefined for a body of another form. */
export function readMetrics(body: Buffer, target: FastReading): ReadApart | undefined {
  return readApart(body, METRICS, target);
}

/** Adds up the toggles of an SDK. Undefined for a body of another form. */
export function readToggles(body: Buffer, target: FastReading): ReadApart | undefined {
  return readApart(body, TOGGLES, target);
}

/** The fast path is no faster for applications and samples. If there is more of them than this, the general path divides the work. */
export const MAX_REST_BYTES = 16 * 1024;

/**
 * The member is the right one: its name occurs only once, and nothing around its value is escaped. If the rest matches the schema, it is
 * where the schema wants it.
 */
function readApart(body: Buffer, { name, begin, read }: Form, target: FastReading): ReadApart | undefined {
  const key = body.indexOf(name);
  const start = key + name.length + begin.length;
  if (key < 0 || body.toString('latin1', start - begin.length, start) !== begin) return undefined;
  const counts = unlessOther(() => read(new MetricsReader(body, start, target)));
  if (counts === undefined) return undefined;
  const length = start + body.length - (counts.end - 1);
  if (length > MAX_REST_BYTES && length > body.length / 2) return undefined;
  const rest = Buffer.concat([body.subarray(0, start), body.subarray(counts.end - 1)], length);
  if (rest.includes(BACKSLASH) || rest.includes(name, start)) return undefined;
  return { ...counts, rest };
}

function unlessOther(read: () => ReadMetrics): ReadMetrics | undefined {
  try {
    return read();
  } catch (error) {
    if (error === OTHER_FORM) return undefined;
    throw error;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Undefined for a text that is not JSON. */
export function parseRest(rest: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(rest));
  } catch {
    return undefined;
  }
}
