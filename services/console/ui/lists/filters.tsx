import { useConsole } from '../../console.ts';
import { FIRST_PAGE } from './first-page.ts';

type SearchProps = { readonly label: string };

/** The search of a list, in the URL as `q`. */
export function Search({ label }: SearchProps) {
  const { router } = useConsole();
  return (
    <input
      type="search"
      placeholder="Search ( / )"
      aria-label={label}
      value={router.route.value.query['q'] ?? ''}
      onInput={(event) => {
        router.change({ ...FIRST_PAGE, q: event.currentTarget.value });
      }}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowDown') return;
        event.preventDefault();
        document.querySelector<HTMLAnchorElement>('a[data-row]')?.focus();
      }}
    />
  );
}

type ChoiceProps = {
  /** The parameter of the URL. */
  readonly parameter: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, title: string])[];
};

/** A filter of a list, in the URL. */
export function Choice({ parameter, label, choices }: ChoiceProps) {
  const { router } = useConsole();
  const chosen = router.route.value.query[parameter] ?? '';
  return (
    <select
      aria-label={label}
      class={chosen === '' ? '' : 'chosen'}
      value={chosen}
      onChange={(event) => {
        router.change({ ...FIRST_PAGE, [parameter]: event.currentTarget.value });
      }}
    >
      <option value="">{label}: all</option>
      {choices.map(([value, title]) => (
        <option key={value} value={value}>
          {title}
        </option>
      ))}
    </select>
  );
}
