import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

type More = typeof import('./more.tsx');

type Props = {
  /** Shown meanwhile. */
  readonly placeholder?: ComponentChildren;
  readonly children: (more: More) => ComponentChildren;
};

/** What the second script holds. The first part that needs it loads it. */
export function Later({ placeholder, children }: Props) {
  const [{ more, hasFailed }, setLoading] = useState<{
    readonly more?: More;
    readonly hasFailed?: true;
  }>({});
  useEffect(() => {
    const load = async (): Promise<void> => {
      const loaded = await import('./more.tsx').catch(() => undefined);
      setLoading(loaded === undefined ? { hasFailed: true } : { more: loaded });
    };
    // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects
    load();
  }, []);
  if (more !== undefined) return <>{children(more)}</>;
  return hasFailed === true ? <NotLoaded /> : <>{placeholder}</>;
}

function NotLoaded() {
  return (
    <p class="trouble" role="alert">
      This cannot be loaded. flagmeter cannot be reached, or it was updated.{' '}
      <button
        type="button"
        onClick={() => {
          location.reload();
        }}
      >
        Reload
      </button>
    </p>
  );
}
