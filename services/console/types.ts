import type { Path } from './state/paths/path.ts';
/** The answers of the admin API. Pages share only types with the services; forms also have the limits of their bodies (ui/dialogs/limits.ts). */
import type { Applications } from '../admin/usage/applications/schema.ts';
import type { CleanUps } from '../admin/advice/clean-ups/schema.ts';
import type { FeatureReferences } from '../admin/advice/code-references/schema.ts';
import type { Feature } from '../admin/flags/features/schema.ts';
import type { FeatureImpact, ImpactMetrics } from '../admin/usage/impact/schema.ts';
import type { Deliveries, Subscriptions } from '../admin/advice/notifications/schema.ts';
import type { Refusals } from '../admin/usage/refusals/schema.ts';
import type { RejectedBodies } from '../admin/usage/rejected-bodies/schema.ts';
import type { Relays } from '../admin/usage/relays/schema.ts';
import type { UnknownFlags } from '../admin/advice/unknown-flags/schema.ts';
import type { Verdicts } from '../admin/advice/verdicts/schema.ts';

export type { AccountingDocument } from '#core/accounting';
export type { Permission } from '#base/tokens';
export type { Applications } from '../admin/usage/applications/schema.ts';
export type {
  ChangeRequest,
  ChangeRequestSummary,
  Differences,
} from '../admin/flags/change-requests/schema.ts';
export type { CleanUps } from '../admin/advice/clean-ups/schema.ts';
export type { CodeRepository, FeatureReferences } from '../admin/advice/code-references/schema.ts';
export type { Coverage } from '../admin/usage/coverage/schema.ts';
export type { Deliveries } from '../admin/advice/notifications/schema.ts';
export type { Event } from '../admin/record/events/schema.ts';
export type { EventType } from '../admin/record/events/types-schema.ts';
export type { Feedback as FeedbackRecord } from '../admin/flags/feedback/schema.ts';
export type { EvaluatedFeature } from '../admin/doors/search/schemas.ts';
export type { FeatureStrategy } from '../admin/flags/feature-strategies/schema.ts';
export type { Feature } from '../admin/flags/features/schema.ts';
export type { FeatureImpact, ImpactMetrics, ImpactSeries } from '../admin/usage/impact/schema.ts';
export type { FlagDebt } from '../admin/advice/flag-debt/schema.ts';
export type { PersonalTokenRecord } from '../admin/people/personal-tokens/schema.ts';
export type { Refusals } from '../admin/usage/refusals/schema.ts';
export type { RejectedBodies } from '../admin/usage/rejected-bodies/schema.ts';
export type { Relays } from '../admin/usage/relays/schema.ts';
export type { Environment, Project } from '../admin/flags/projects/schema.ts';
export type { Assignment, Role } from '../admin/people/roles/schema.ts';
export type { Strategy } from '../admin/flags/strategies/schema.ts';
export type { ApiTokenRecord } from '../admin/people/tokens/schema.ts';
export type { CallerAnswer as Caller, User } from '../admin/people/users/schema.ts';
export type { Throughput } from '../admin/usage/accounting/schema.ts';
export type { UnknownFlags } from '../admin/advice/unknown-flags/schema.ts';
export type { UsageSeries as UsageSeriesAnswer } from '../admin/usage/totals/series-schema.ts';
export type { RecordedVerdict } from '../admin/advice/verdicts/recorded-schema.ts';
export type { Verdicts } from '../admin/advice/verdicts/schema.ts';

export type CleanUp = CleanUps['cleanUps'][number];
/** A scanned branch, with its places of one name. */
export type BranchOfFeature = FeatureReferences['repositories'][number];
export type CodePlace = BranchOfFeature['places'][number];
export type Guard = Feature['guards'][number];
export type Application = Applications['applications'][number];
export type ImpactComparison = FeatureImpact['comparisons'][number];
export type ImpactArm = ImpactComparison['arms'][number];
export type ImpactMetric = ImpactMetrics['impactMetrics'][number];
export type Refusal = Refusals['refusals'][number];
export type RejectedBody = RejectedBodies['rejectedBodies'][number];
export type Delivery = Deliveries['deliveries'][number];
export type Subscription = Subscriptions['subscriptions'][number];
export type Relay = Relays['relays'][number];
export type UnknownFlag = UnknownFlags['unknownFlags'][number];
export type Verdict = Verdicts['verdicts'][number];

export type Change = {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: Path;
  readonly body?: unknown;
  /** The ETag of the answer that the reader saw. The change is refused if somebody else was faster. */
  readonly ifMatch?: string | undefined;
};
