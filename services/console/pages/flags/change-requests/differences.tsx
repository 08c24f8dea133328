import { useFeature } from '../../../api/flags/feature.ts';
import { strategiesPath } from '../../../state/paths/feature-paths.ts';
import { useResource } from '../../../api/requests/resource.ts';
import type { ChangeRequest, FeatureStrategy } from '../../../types.ts';
import { useConsole } from '../../../console.ts';
import { isolate, contain } from '#base/words';
import { type Difference, type Now, differenceOf } from './difference.ts';
import { Name, Isolated } from '../../../ui/parts.tsx';

type Changes = ChangeRequest['features'][number];
type Props = {
  readonly of: Changes;
  readonly place: { readonly project: string; readonly environment: string };
  /** The state before the changes is known only until they are applied. */
  readonly isOpen: boolean;
};

/** The changes of one feature, each beside what is now. */
export function FeatureChanges({ of: { name, changes }, place, isOpen }: Props) {
  const { router } = useConsole();
  const now = useNow(name, place);
  return (
    <>
      <h3>
        <a data-row href={router.linkTo('features', name)}>
          <Name>{name}</Name>
        </a>
      </h3>
      <Differences
        caption={name}
        of={changes.map(({ id, ...change }) => ({ id, ...differenceOf(change, isOpen ? now : NOTHING) }))}
        hasBefore={isOpen}
      />
    </>
  );
}

/** Changes of segments. flagmeter knows no segments, so there is nothing to compare with. */
export function OtherChanges({ changes }: { readonly changes: ChangeRequest['segments'] }) {
  const found = changes.map(({ id, ...change }) => ({ id, ...differenceOf(change, NOTHING) }));
  return <Differences caption="Segments" of={found} hasBefore={false} />;
}

const NOTHING: Now = { isOn: undefined, isArchived: undefined, strategies: undefined };

function useNow(name: string, { project, environment }: Props['place']): Now {
  const feature = useFeature(name).data?.feature;
  const strategies = useResource<readonly FeatureStrategy[]>(strategiesPath({ project, name }, environment));
  return {
    isOn: feature?.environments.find((item) => item.name === environment)?.enabled,
    isArchived: feature?.archived,
    strategies: strategies.data,
  };
}

type DifferencesProps = {
  readonly caption: string;
  readonly of: readonly (Difference & { readonly id: number })[];
  readonly hasBefore: boolean;
};

function Differences({ caption, of, hasBefore }: DifferencesProps) {
  return (
    <table class="difference">
      <caption class="visually-hidden">Changes of {isolate(caption)}</caption>
      <thead>
        <tr>
          <th scope="col">Change</th>
          {hasBefore && <th scope="col">Now</th>}
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {of.map(({ id, title, before, after }) => (
          <tr key={id}>
            <th scope="row">{title}</th>
            <Sides before={before} after={after} hasBefore={hasBefore} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type SidesProps = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly hasBefore?: boolean;
};

/** The two cells of a row. */
export function Sides({ before, after, hasBefore = true }: SidesProps) {
  return (
    <>
      {hasBefore && (
        <td>
          <Lines of={before} others={after} mark="del" />
        </td>
      )}
      <td>
        <Lines of={after} others={before} mark="ins" />
      </td>
    </>
  );
}

type LinesProps = {
  readonly of: readonly string[];
  readonly others: readonly string[];
  readonly mark: 'del' | 'ins';
};

/** Lines that the other side does not have are marked. */
function Lines({ of, others, mark: Mark }: LinesProps) {
  if (of.length === 0) return <span class="muted">–</span>;
  return (
    <>
      {of.map((line) => (
        <p key={line}>
          {others.includes(line) ? <Isolated>{line}</Isolated> : <Mark dir="auto">{contain(line)}</Mark>}
        </p>
      ))}
    </>
  );
}
