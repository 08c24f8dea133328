import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { Heading } from '../../ui/heading.tsx';
import { Skeleton } from '../../ui/loaded.tsx';
import { Shell, titleOf } from './shell.tsx';
import { Features } from '../flags/features/features.tsx';
import { Overview } from '../usage/overview/overview.tsx';
import { SignIn } from '../people/sign-in.tsx';

/** The sign-in page, or the page of the URL. */
export function App() {
  const { session, router } = useConsole();
  if (session.credential.value === undefined) return <SignIn />;
  return <Shell>{pageOf(router.route.value.parts)}</Shell>;
}

function pageOf(parts: readonly string[]): ComponentChildren {
  const [page, name] = parts;
  if (page === undefined) return <Overview />;
  if (page === 'features' && name === undefined) return <Features />;
  return <More parts={parts} />;
}

type Loading = {
  readonly pageOf?: (parts: readonly string[]) => ComponentChildren;
  readonly hasFailed?: boolean;
};

/** A page of the second script, which is loaded with the first of these pages. */
function More({ parts }: { readonly parts: readonly string[] }) {
  const [{ pageOf: find, hasFailed = false }, setLoading] = useState<Loading>({});
  useEffect(() => {
    const load = async (): Promise<void> => {
      const more = await import('../more.tsx').catch(() => undefined);
      setLoading(more ?? { hasFailed: true });
    };
    // oxlint-disable-next-line typescript/no-floating-promises -- it never rejects
    load();
  }, []);
  if (hasFailed)
    return (
      <p class="trouble" role="alert">
        This page cannot be loaded. flagmeter cannot be reached, or it was updated.{' '}
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
  if (find !== undefined) return <>{find(parts)}</>;
  return (
    <>
      <Heading answer={undefined} page={titleOf(parts)} />
      <Skeleton lines={12} />
    </>
  );
}
