import type { Defect } from './defect.ts';

const MIRROR = 'services/unleash-bridge/mirror/mirrored-partition.ts';
const APPLICATIONS = 'services/unleash-bridge/mirror/applications.ts';
const DELIVER = 'services/unleash-bridge/mirror/deliver.ts';

/** Rules about posts to Unleash. */
export const DEFECTS_OF_MIRROR: readonly Defect[] = [
  {
    name: 'the mirror forgets the batches that it sent',
    file: MIRROR,
    from: '    remember();\n',
    to: '    void remember;\n',
  },
  {
    name: 'the mirror takes a post without an answer for sent',
    file: DELIVER,
    from: "return unanswered === 'lose' ?",
    to: "return unanswered === 'lose' || result.outcome === 'unanswered' ?",
  },
  {
    name: 'the mirror takes a post that was not accepted for sent',
    file: DELIVER,
    from: "return { outcome: 'again', pause: isMendable ? 'slowly' : 'soon' };",
    to: "return { outcome: 'lost', status: isMendable ? 401 : 503 };",
  },
  {
    name: 'the mirror begins behind an interrupted range',
    file: 'services/unleash-bridge/mirror/take-over-mirror.ts',
    from: 'return decodeProgress(committed.metadata) ?? {',
    to: 'return { from: decodeProgress(committed.metadata)?.current?.to ?? committed.offset, current: undefined } ?? {',
  },
  {
    name: 'the mirror repeats the finished posts of an interrupted range',
    file: MIRROR,
    from: 'if (index < (begun?.done ?? 0)) continue;',
    to: '',
  },
  {
    name: 'the mirror commits applications before it posts them',
    file: APPLICATIONS,
    from: '    for (const post of applicationPostsOf(',
    to: "    await batch.group.commit(batch.position, '');\n    for (const post of applicationPostsOf(",
  },
  {
    name: 'the mirror takes applications for sent before it posts them',
    file: APPLICATIONS,
    from: '    for (const post of applicationPostsOf(',
    to: '    for (const key of fresh.keys()) seen.set(key, true);\n    for (const post of applicationPostsOf(',
  },
  {
    name: 'the mirror does not recall the batches of its predecessor',
    file: MIRROR,
    from: 'if (recalled.length > 0) this.#recent.add',
    to: 'if (recalled.length > 1e9) this.#recent.add',
  },
];
