import { useConsole } from '../../console.ts';
import { pathTo } from '../../state/paths/path.ts';
import { say } from '#base/words';

type SignedOut = {
  /** Where the browser ends its session at the identity provider. */
  readonly endSessionUrl: string | null;
};

/** Forgets the token of this tab, or ends the session of this browser, here and at the identity provider. */
export function useSignOut(): () => void {
  const { api, forms, notice, session } = useConsole();
  const endSession = async (): Promise<void> => {
    const { body, problem } = await api.send<SignedOut>({ method: 'POST', path: pathTo`sign-out` });
    if (problem !== undefined)
      notice.value = { tone: 'wrong', text: say`You are still signed in. ${problem.message}` };
    else if (body.endSessionUrl === null) session.signOut();
    else location.assign(body.endSessionUrl);
  };
  return () => {
    forms.leave(session.credential.peek()?.kind === 'session' ? endSession : session.signOut);
  };
}
