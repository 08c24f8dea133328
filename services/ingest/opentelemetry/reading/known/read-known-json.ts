import type { Steps } from '#core/counting';
import { attributesOf, mentionsFlag } from '../json/attributes.ts';
import { type Fields, enumOf, fieldsOf, isTrue, listOf, optionalFields, textOf } from '../json/fields.ts';
import { checkSignal, readScope, seriesAttributesOf } from '../json/read-json.ts';
import { type Attributes, EVALUATION_METRICS } from '../mapping.ts';
import { TEMPORALITIES, kindOfSum } from '../points.ts';
import { kindOfMetric } from '../recognise.ts';
import {
  type Counting,
  type HowKnown,
  type KnownBody,
  type KnownOptions,
  addResource,
  createBodyCounting,
} from './count-body.ts';
import { type CutList, cutLists } from './cut-lists.ts';
import { JsonPointReader } from './json-point-reader.ts';
import type { KnownPoints } from './known-points.ts';
import { OTHER_FORM, type PointCountsOptions, type PointTimes } from './point-counts.ts';

/** Parses a part of a body. Throws if the general path might reject it. `isRest`: it has the names of resources, scopes and metrics. */
type Parse = (part: Buffer, isRest: boolean) => unknown;

/** As `ReadKnown`, for the JSON of a body whose members have the names that the protocol prescribes. */
export type ReadKnownJson = (
  body: Buffer,
  options: KnownOptions,
  how: HowKnown & { readonly parse: Parse },
) => Steps<KnownBody | undefined>;

/**
 * The same for JSON: the lists of points are cut out and read from their bytes, and what is left of the body is parsed. Lists of other
 * metrics are parsed too.
 */
export function createKnownJsonReader(known: KnownPoints): ReadKnownJson {
  const countBody = createBodyCounting(known);
  return function* readKnownJson(body, options, how) {
    const cut = cutLists(body);
    if (cut === undefined) return undefined;
    const { lists, rest } = cut;
    const readAll = function* ({ length, points, ofToken, found, mostResources }: Counting): Steps<void> {
      const left = new Set(lists);
      const others = new Set<CutList>();
      const reader = new JsonPointReader(body, points, length);
      const reading = { lists, left, others, length, reader, points, ofToken, found, mostResources };
      yield* readResources(fieldsOf(how.parse(rest, true)), reading);
      if (left.size > 0) checkOthers(how.parse(joined(body, left), false), reading);
    };
    const attributesIn = (start: number, end: number): Attributes => attributesAt(body, start, end);
    const seriesIn: PointCountsOptions['seriesIn'] = (start, end) => seriesAt(body, start, end);
    return yield* countBody({ body, attributesIn, seriesIn, readAll }, options, how);
  };
}

type Reading = Counting & {
  readonly lists: readonly CutList[];
  /** The lists that are not counted, and those of them whose points must not be evaluations. */
  readonly left: Set<CutList>;
  readonly others: Set<CutList>;
  readonly reader: JsonPointReader;
};

function* readResources(request: Fields, reading: Reading): Steps<void> {
  const { length, points, found } = reading;
  checkSignal('metrics', request);
  for (const one of listOf(request['resourceMetrics'])) {
    if (length.isDone()) yield;
    const ofResource = fieldsOf(one);
    const resource = attributesOf(optionalFields(ofResource['resource']));
    const times: PointTimes = [];
    points.beginResource(resource, times);
    for (const ofScope of listOf(ofResource['scopeMetrics'])) {
      if (length.isDone()) yield;
      yield* readMetrics(fieldsOf(ofScope), reading);
    }
    addResource(found, { resource, found: times }, reading.mostResources);
  }
}

function* readMetrics(ofScope: Fields, reading: Reading): Steps<void> {
  const { length, found, points, reader, ofToken } = reading;
  const scope = readScope(optionalFields(ofScope['scope']));
  for (const item of listOf(ofScope['metrics'])) {
    if (length.isDone()) yield;
    const metric = fieldsOf(item);
    const name = textOf(metric['name']);
    const counted = EVALUATION_METRICS.get(name);
    if (counted === undefined) {
      passBy(metric, name, reading);
      found.ignored += 1;
      continue;
    }
    const sum = fieldsOf(metric['sum']);
    points.beginMetric({ name, kind: kindOf(sum), scope, known: ofToken[counted] });
    const list = listIn(sum, reading.lists);
    if (list === undefined) continue;
    if (!reading.left.delete(list)) throw OTHER_FORM;
    for (let at = 0; at < list.places.length;) {
      at = reader.read(list, at);
      if (at < list.places.length) yield;
    }
  }
}

/** A metric that counts no evaluations. A sum may have points that are some. */
function passBy(metric: Fields, name: string, { lists, others }: Reading): void {
  if (kindOfMetric(name) === 'repeating' || metric['sum'] == null) return;
  const sum = fieldsOf(metric['sum']);
  kindOf(sum);
  const list = listIn(sum, lists);
  if (list !== undefined) others.add(list);
}

function kindOf({ aggregationTemporality, isMonotonic }: Fields): ReturnType<typeof kindOfSum> {
  return kindOfSum(enumOf(aggregationTemporality, TEMPORALITIES), isTrue(isMonotonic));
}

/** The list whose number a sum has in its place. */
function listIn({ dataPoints }: Fields, lists: readonly CutList[]): CutList | undefined {
  const [number] = listOf(dataPoints);
  if (number === undefined) return undefined;
  const list = lists[Number(number)];
  if (list === undefined) throw OTHER_FORM;
  return list;
}

function joined(body: Buffer, lists: Iterable<CutList>): Buffer {
  const parts = Array.from(lists, ({ start, end }) => body.toString('latin1', start, end));
  return Buffer.from(`[[${parts.join('],[')}]]`, 'latin1');
}

function checkOthers(parsed: unknown, { left, others }: Reading): void {
  for (const [index, list] of [...left].entries()) {
    if (!others.has(list)) continue;
    for (const point of listOf(listOf(parsed)[index])) if (mentionsFlag(fieldsOf(point))) throw OTHER_FORM;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws OTHER_FORM for attributes that have other members, or in another form than `JSON.stringify` writes. */
function attributesAt(body: Buffer, start: number, end: number): Attributes {
  const text = UTF8.decode(body.subarray(start, end));
  const list = JSON.parse(text) as unknown;
  if (JSON.stringify(list) !== text || !listOf(list).every(isUsual)) throw OTHER_FORM;
  return attributesOf({ attributes: list });
}

/** Of attributes that are known to be usual. */
function seriesAt(body: Buffer, start: number, end: number): ReturnType<typeof seriesAttributesOf> {
  return seriesAttributesOf({ attributes: JSON.parse(body.toString('utf8', start, end)) as unknown });
}

const USUAL_VALUES: ReadonlySet<string> = new Set(['stringValue', 'boolValue', 'intValue', 'doubleValue']);

/** Whether an attribute has nothing but a name and a value that does not nest. */
function isUsual(attribute: unknown): boolean {
  const { key, value, ...others } = fieldsOf(attribute);
  const [[type, scalar] = ['', {}], ...otherTypes] = Object.entries(fieldsOf(value));
  const isScalar = USUAL_VALUES.has(type) && typeof scalar !== 'object' && otherTypes.length === 0;
  return typeof key === 'string' && isScalar && Object.keys(others).length === 0;
}
