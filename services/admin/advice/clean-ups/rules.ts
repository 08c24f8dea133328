/** How far the removal of a flag is, in order. */
export const STAGES = ['found', 'told', 'removal', 'gone', 'archived'] as const;

export type Stage = (typeof STAGES)[number];

/** The stages to which people move flags. Archiving is an operation of its own, which may need approvals. */
export const MOVABLE_STAGES = ['found', 'told', 'removal', 'gone'] as const satisfies readonly Stage[];

/** The verdicts by which a flag is found. */
export const CLEAN_UP_VERDICTS = ['always_on', 'always_off', 'silent', 'archive_evidence'] as const;

export type Told = { readonly at: Date; readonly to: string };

export type Card = {
  readonly stage: Stage;
  /** When it came to this stage. */
  readonly since: Date;
  /** When somebody has moved it back: only what happened later moves it on. */
  readonly heldAt: Date | undefined;
  readonly told: Told | undefined;
  readonly changeRequestId: number | undefined;
};

export type Observed = {
  readonly isArchived: boolean;
  /** Whether a verdict says now that it can go. */
  readonly isFound: boolean;
  /** The first message or acknowledgement since `heldAt`. */
  readonly told: Told | undefined;
  /** The newest open change request that archives it. */
  readonly request: { readonly id: number; readonly at: Date } | undefined;
  /** Whether the change request of the card was cancelled or rejected. */
  readonly isRequestClosed: boolean;
  /** Start of the last hour with evaluations. */
  readonly lastSeenAt: Date | undefined;
  /** Whether it was not evaluated for a day, while others were. */
  readonly isQuiet: boolean;
};

export type Move = Pick<Card, 'stage' | 'told' | 'changeRequestId'>;

/** What the observation makes of a card; undefined if it does not belong on the board any more. */
export function observe(card: Card, observed: Observed): Move | undefined {
  const request = isNews(card, observed.request) ? observed.request : undefined;
  const told = card.told ?? observed.told;
  const changeRequestId = request?.id ?? (observed.isRequestClosed ? undefined : card.changeRequestId);
  const stage = stageOf(card, { ...observed, request });
  return stage && { stage, told, changeRequestId };
}

function stageOf(card: Card, observed: Observed): Stage | undefined {
  const { isArchived, isFound, told, request, isRequestClosed, lastSeenAt, isQuiet } = observed;
  if (isArchived) return 'archived';
  let { stage } = card;
  // It was revived, or its removal was given up.
  if (stage === 'archived' || (stage === 'removal' && isRequestClosed && request === undefined))
    stage = card.told === undefined ? 'found' : 'told';
  if (stage === 'found' || stage === 'told') {
    if (request !== undefined) stage = 'removal';
    else if (!isFound) return undefined;
    else if (told !== undefined) stage = 'told';
  }
  if (stage === 'removal' && isQuiet && isNews(card, lastSeenAt && { at: lastSeenAt })) return 'gone';
  if (stage === 'gone' && !isQuiet && lastSeenAt !== undefined && lastSeenAt > card.since) return 'removal';
  return stage;
}

function isNews({ heldAt }: Card, seen: { readonly at: Date } | undefined): boolean {
  return seen !== undefined && (heldAt === undefined || seen.at > heldAt);
}

/** Whether a move goes back, which only what happens later may undo. */
export function isBack(from: Stage, to: Stage): boolean {
  return STAGES.indexOf(to) < STAGES.indexOf(from);
}
