import { filtersWords } from '../../state/sentences/first-pages.ts';
import { useConsole } from '../../console.ts';
import { FIRST_PAGE } from './first-page.ts';

type Props = {
  /** The parameters of the URL that filter the list. */
  readonly parameters: readonly string[];
};

/** Says that filters are on, and takes them off at once. The link keeps them for others and for later. */
export function FilterState({ parameters }: Props) {
  const { router, notice } = useConsole();
  const { query } = router.route.value;
  const on = parameters.filter((parameter) => (query[parameter] ?? '') !== '');
  if (on.length === 0) return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(location.href);
    notice.value = { tone: 'done', text: 'The link to this list is copied.' };
  };
  return (
    <span class="filter-state">
      <span role="status">{filtersWords(on.length)}</span>
      <button
        type="button"
        onClick={() => {
          router.change({ ...FIRST_PAGE, ...Object.fromEntries(on.map((parameter) => [parameter, ''])) });
        }}
      >
        Clear
      </button>
      {/* Browsers have a clipboard only on HTTPS and on this machine. */}
      {window.isSecureContext && (
        <button type="button" onClick={copy}>
          Copy link
        </button>
      )}
    </span>
  );
}
