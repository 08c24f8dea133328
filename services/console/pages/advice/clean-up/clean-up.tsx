import { useState } from 'preact/hooks';
import { useMay, useMayReadAll } from '../../../api/caller.ts';
import { useFeaturesWithEvidence } from '../../../api/advice/clean-up.ts';
import { useCleanUps } from '../../../api/advice/clean-ups.ts';
import { useVerdicts } from '../../../api/flags/features.ts';
import { recordedOf, useRecordedVerdicts } from '../../../api/advice/recorded-verdicts.ts';
import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { CleanUp, RecordedVerdict, UnknownFlag, UnknownFlags, Verdicts } from '../../../types.ts';
import { type Candidate, candidatesOf } from './candidate.ts';
import { EVERY } from '../../../state/may.ts';
import { archiveTitle, cleanUpSentence, hiddenVerdictsSentence } from '../../../state/sentences/index.ts';
import { kindOf, worthDoing } from '../../../state/verdicts/verdict-kinds.ts';
import { Heading } from '../../../ui/heading.tsx';
import { Loaded } from '../../../ui/loaded.tsx';
import { Cut } from '../../../ui/lists/cut.tsx';
import { Empty, HiddenVerdicts, Section } from '../../../ui/parts.tsx';
import { VerdictList } from '../../../ui/lists/verdict-list.tsx';
import { Acknowledge, Acknowledged } from './acknowledged.tsx';
import { ArchiveDialog } from './archive-dialog.tsx';
import { Board } from './board.tsx';
import { isTakenOn } from './stages.ts';
import { Candidates } from './candidates.tsx';
import { Debt } from './debt.tsx';
import { UnknownNames } from './unknown-names.tsx';

/** What can be archived, what else needs work in the code, and which names are wrong. */
export function CleanUp() {
  const verdicts = useVerdicts();
  const features = useFeaturesWithEvidence();
  const mayReadAll = useMayReadAll();
  const unknown = useUnknownFlags(mayReadAll === true);
  const names = mayReadAll === false ? NO_NAMES : unknown.data;
  const recorded = useRecordedVerdicts();
  const { verdicts: acknowledged = [], total: acknowledgements = 0 } = recorded.acknowledged.data ?? {};
  const open = recorded.open.data?.verdicts ?? [];
  const found = (verdicts.data?.verdicts ?? []).filter(
    (verdict) => recordedOf(acknowledged, verdict) === undefined,
  );
  const candidates = features.data && verdicts.data && candidatesOf(features.data.items, found);
  const cleanUps = useCleanUps();
  const cards = new Map((cleanUps.data?.cleanUps ?? []).map((card) => [card.featureName, card]));
  const listed = (candidates ?? []).filter(({ name }) => {
    const card = cards.get(name);
    return card === undefined || !isTakenOn(card);
  });
  // Of more features, or of features whose verdicts are not listed, the page does not know whether they can go.
  const isCut = features.data?.nextCursor !== null || isAnyHidden(verdicts.data);
  const isTooMany = acknowledged.length < acknowledgements;
  const others = othersOf(found);
  return (
    <>
      <Heading
        page="Clean-up"
        answer={candidates && names && answerOf(names, { candidates, listed, isCut, isTooMany })}
      />
      <HiddenVerdicts of={verdicts.data} />
      <Section title="Flags that can go">
        <Loaded of={features} lines={8}>
          {({ items, nextCursor }) => (
            <Loaded of={verdicts} lines={8}>
              {() => (
                <>
                  {nextCursor !== null && <Cut shown={items.length} of="features with evidence, by name" />}
                  <Archivable candidates={listed} recorded={open} cards={cards} />
                </>
              )}
            </Loaded>
          )}
        </Loaded>
      </Section>
      <Board cleanUps={cleanUps} listed={new Set(listed.map(({ name }) => name))} />
      {others.length > 0 && (
        <Section title="Other findings">
          <VerdictList
            verdicts={others}
            actions={(verdict) => <Acknowledge recorded={recordedOf(open, verdict)} />}
          />
        </Section>
      )}
      {mayReadAll !== false && <UnknownNames unknown={unknown} />}
      <Acknowledged recorded={acknowledged} total={acknowledgements} />
      <Debt />
    </>
  );
}

const NO_NAMES: UnknownFlags = { total: 0, unknownFlags: [] };

/** The verdicts on flags that need work, but do not say that a flag can go. */
function othersOf(found: Verdicts['verdicts']): Verdicts['verdicts'] {
  return worthDoing(found).filter(
    ({ featureName, verdict }) =>
      featureName !== null && verdict !== 'unknown' && kindOf(verdict).canGo !== true,
  );
}

function isAnyHidden(verdicts: Verdicts | undefined): boolean {
  return verdicts !== undefined && hiddenVerdictsSentence(verdicts) !== '';
}

function useUnknownFlags(mayRead: boolean): Resource<UnknownFlags> {
  return useResource(mayRead ? pathTo`api/admin/metrics/unknown-flags` : undefined, { everyMs: 30_000 });
}

type ArchivableProps = {
  readonly candidates: readonly Candidate[];
  readonly recorded: readonly RecordedVerdict[];
  readonly cards: ReadonlyMap<string, CleanUp>;
};

/** The list, and the selection for those who may archive. */
function Archivable({ candidates, recorded, cards }: ArchivableProps) {
  const may = useMay();
  const mayArchive = ({ project }: Candidate): boolean =>
    may('DELETE_FEATURE', { project, environment: EVERY });
  const archivable = candidates.filter(mayArchive);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isOpen, setOpen] = useState(false);
  const chosen = candidates.filter(({ name }) => selected.has(name));
  if (candidates.length === 0 && !isOpen)
    return <Empty>Every flag is used and still decides something.</Empty>;
  const toggle = (name: string): void => {
    setSelected((before) => (before.has(name) ? without(before, [name]) : new Set([...before, name])));
  };
  return (
    <>
      {archivable.length > 0 && (
        <Selection
          count={chosen.length}
          isWhole={chosen.length === archivable.length}
          onAll={() => {
            setSelected(new Set(archivable.map(({ name }) => name)));
          }}
          onNone={() => {
            setSelected(new Set());
          }}
          onArchive={() => {
            setOpen(true);
          }}
        />
      )}
      <Candidates
        candidates={candidates}
        recorded={recorded}
        cards={cards}
        selected={selected}
        mayArchive={mayArchive}
        onToggle={toggle}
      />
      {isOpen && (
        <ArchiveDialog
          candidates={chosen}
          onClose={() => {
            setOpen(false);
          }}
          onDone={(names) => {
            setSelected((before) => without(before, names));
          }}
        />
      )}
    </>
  );
}

type SelectionProps = {
  readonly count: number;
  readonly isWhole: boolean;
  readonly onAll: () => void;
  readonly onNone: () => void;
  readonly onArchive: () => void;
};

function Selection({ count, isWhole, onAll, onNone, onArchive }: SelectionProps) {
  return (
    <p class="selection">
      <button type="button" onClick={isWhole ? onNone : onAll}>
        {isWhole ? 'Select none' : 'Select all'}
      </button>
      <button type="button" class="primary" disabled={count === 0} onClick={onArchive}>
        {archiveTitle(count)}
      </button>
      <span class="muted">x selects a flag</span>
    </p>
  );
}

function without(names: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> {
  return new Set([...names].filter((name) => !gone.includes(name)));
}

type Found = {
  readonly candidates: readonly Candidate[];
  /** Those that are not being removed yet. */
  readonly listed: readonly Candidate[];
  readonly isCut: boolean;
  readonly isTooMany: boolean;
};

function answerOf(
  { unknownFlags, total }: UnknownFlags,
  { candidates, listed, isCut, isTooMany }: Found,
): string {
  const countNames = (flags: readonly UnknownFlag[]): number => new Set(flags.map(({ name }) => name)).size;
  return cleanUpSentence({
    canGo: listed.length,
    isCut,
    isTooMany,
    beingRemoved: candidates.length - listed.length,
    typos: countNames(unknownFlags.filter(({ nearestName }) => nearestName !== null)),
    areNamesCut: countNames(unknownFlags) < total,
  });
}
