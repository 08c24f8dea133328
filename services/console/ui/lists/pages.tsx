import { useConsole } from '../../console.ts';

type Props = {
  /** The parameter of the URL that holds the cursor; empty on the first page. */
  readonly parameter: string;
  /** The label of the button that leads to the first page. */
  readonly first: string;
  /** The label of the button that leads to the next page, and its cursor; null on the last page. */
  readonly next: readonly [label: string, cursor: string | null];
};

/** Leads through the pages of a list whose cursors only lead forward. */
export function Pages({ parameter, first, next: [label, cursor] }: Props) {
  const { router } = useConsole();
  const isFirst = (router.route.value.query[parameter] ?? '') === '';
  const goTo = (place: string) => () => {
    router.change({ [parameter]: place });
  };
  return (
    <nav class="actions" aria-label="Other parts of the list">
      {!isFirst && (
        <button type="button" onClick={goTo('')}>
          {first}
        </button>
      )}
      {cursor !== null && (
        <button type="button" onClick={goTo(cursor)}>
          {label}
        </button>
      )}
    </nav>
  );
}
