import { useMemo } from 'preact/hooks';
import { useConsole } from '../../../console.ts';
import { windowOf } from '../../../state/time/window.ts';
import { say } from '#base/words';
import { PHONE, useMedia } from '../../../ui/media.ts';
import { Name, VerdictBadges } from '../../../ui/parts.tsx';
import type { Column } from '../../../ui/lists/rows.tsx';
import { EnvironmentCell, EvaluationsCell, NameCell, SeenCell, SparklineCell } from './cells.tsx';
import type { Item } from './select.ts';

const MAX_ENVIRONMENTS = 3;
const NARROW = '(max-width: 1239px)';
const WIDE = '(min-width: 1440px)';

/** The columns that the screen has room for. */
export function useColumns(items: readonly Item[]): readonly Column<Item>[] {
  const { title } = windowOf(useConsole().router.route.value.query['window']);
  const isPhone = useMedia(PHONE);
  const isNarrow = useMedia(NARROW);
  const isWide = useMedia(WIDE);
  const environments = useMemo(
    () => [...new Set(items.flatMap((item) => item.environments.map(({ name }) => name)))],
    [items],
  );
  return useMemo(
    () => [
      { id: 'name', title: 'Name', isSortable: true, show: (item: Item) => <NameCell of={item} /> },
      ...(isNarrow && !isPhone ? [] : [PROJECT]),
      ...(isWide ? [TYPE] : []),
      // The order of environments is the way to production. Names need the room of the others.
      ...environments
        .slice(isWide ? -MAX_ENVIRONMENTS : -1)
        .map((environment) => environmentColumn(environment)),
      {
        id: 'evaluations',
        title: say`In ${title}`,
        width: '96px',
        isNumber: true,
        label: say`in ${title}`,
        show: (item: Item) => <EvaluationsCell of={item} />,
      },
      {
        id: 'sparkline',
        title: 'Evaluations',
        width: '112px',
        isWide: true,
        show: (item: Item) => <SparklineCell of={item} />,
      },
      {
        id: 'seen',
        title: 'Last seen',
        width: '88px',
        isNumber: true,
        isWide: true,
        isSortable: true,
        show: (item: Item) => <SeenCell of={item} />,
      },
      {
        id: 'verdicts',
        title: 'Verdicts',
        width: '120px',
        isSortable: true,
        show: ({ verdicts }: Item) => <VerdictBadges verdicts={verdicts.filter(isTelling)} />,
      },
    ],
    [title, isPhone, isNarrow, isWide, environments],
  );
}

const PROJECT: Column<Item> = {
  id: 'project',
  title: 'Project',
  width: '12%',
  isSortable: true,
  show: ({ project }) => <Name>{project}</Name>,
};

const TYPE: Column<Item> = {
  id: 'type',
  title: 'Type',
  width: '104px',
  isSortable: true,
  show: ({ type }) => <Name>{type}</Name>,
};

function environmentColumn(environment: string): Column<Item> {
  return {
    id: `environment ${environment}`,
    title: environment,
    width: '100px',
    isWide: true,
    show: (item) => <EnvironmentCell of={item} environment={environment} />,
  };
}

/** The evidence for archiving is beside the verdict that it belongs to, on the page of the feature. */
function isTelling({ verdict }: { readonly verdict: string }): boolean {
  return verdict !== 'archive_evidence';
}
