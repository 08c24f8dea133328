import type { ComponentChildren } from 'preact';
import { CallerContext, useReadCaller } from '../../api/caller.ts';
import { useConsole } from '../../console.ts';
import { Heading } from '../../ui/heading.tsx';
import { Skeleton } from '../../ui/loaded.tsx';
import { titleOf } from './entries.ts';
import { Shell } from './shell.tsx';
import { Later } from '../later.tsx';
import { Features } from '../flags/features/features.tsx';
import { Overview } from '../usage/overview/overview.tsx';

/** The sign-in page, or the page of the URL. */
export function App() {
  const { session, router, forms } = useConsole();
  const isSignedIn = session.credential.value !== undefined;
  const isInterrupted = !isSignedIn && session.endedBecause.value !== undefined && forms.isTouched.value;
  if (!isSignedIn && !isInterrupted) return <Later>{({ SignIn }) => <SignIn />}</Later>;
  return (
    <SignedIn>
      <Shell isHidden={isInterrupted}>{pageOf(router.route.value.parts)}</Shell>
    </SignedIn>
  );
}

/** Reads who is signed in, for all that is shown. */
function SignedIn({ children }: { readonly children: ComponentChildren }) {
  return <CallerContext.Provider value={useReadCaller()}>{children}</CallerContext.Provider>;
}

function pageOf(parts: readonly string[]): ComponentChildren {
  const [page, name] = parts;
  if (page === undefined) return <Overview />;
  if (page === 'features' && name === undefined) return <Features />;
  const placeholder = (
    <>
      <Heading answer={undefined} page={titleOf(parts)} />
      <Skeleton lines={12} />
    </>
  );
  return <Later placeholder={placeholder}>{(more) => more.pageOf(parts)}</Later>;
}
