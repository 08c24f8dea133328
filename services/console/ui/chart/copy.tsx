import { useEffect, useState } from 'preact/hooks';

type Props = { readonly title: string; readonly text: () => string };

const SHOWN_MS = 2000;

/** Copies CSV. Browsers have a clipboard only on HTTPS and on this machine; elsewhere the button saves a file. */
export function CopyCsv({ title, text }: Props) {
  const [isDone, setDone] = useState(false);
  useEffect(() => {
    if (!isDone) return undefined;
    const timer = window.setTimeout(() => {
      setDone(false);
    }, SHOWN_MS);
    return () => {
      window.clearTimeout(timer);
    };
  }, [isDone]);
  const canCopy = window.isSecureContext;
  const run = async (): Promise<void> => {
    if (canCopy) await navigator.clipboard.writeText(text());
    else save(`${title}.csv`, text());
    setDone(true);
  };
  return (
    <>
      <button type="button" onClick={run}>
        {canCopy ? 'Copy as CSV' : 'Save as CSV'}
      </button>
      <span class="muted" role="status">
        {isDone && (canCopy ? 'copied' : 'saved')}
      </span>
    </>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
