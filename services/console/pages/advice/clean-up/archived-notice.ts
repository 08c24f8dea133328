import { archivedNoticeSentence } from '../../../state/sentences/index.ts';
import { reviveChange } from '../../../api/advice/clean-up.ts';
import type { Candidate } from './candidate.ts';
import type { Notice } from '../../../state/app/notice.ts';

export type Archived = {
  readonly item: Pick<Candidate, 'name' | 'source'>;
  /** The version that archiving made. */
  readonly etag: string | undefined;
};

/** Undo revives what Unleash does not own, unless somebody else has revived or changed it since. Unleash revives its own. */
export function archivedNotice(archived: readonly Archived[]): Notice {
  const own = archived.filter(({ item }) => item.source !== 'unleash');
  const others = archived.length - own.length;
  return {
    tone: 'done',
    text: archivedNoticeSentence(archived.length, others),
    undo:
      own.length === 0
        ? undefined
        : own.map(({ item, etag }) => ({ ...reviveChange(item.name), ifMatch: etag })),
  };
}
