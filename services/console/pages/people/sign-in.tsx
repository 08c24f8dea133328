import { useState } from 'preact/hooks';
import { tryToken } from '../../api/requests/client.ts';
import { useConsole } from '../../console.ts';
import { keepPlace } from '../../state/app/place.ts';

/** Leads to the identity provider, if there is one, and asks for a token. */
export function SignIn() {
  const { session } = useConsole();
  const isByProvider = session.authType === 'oidc';
  return (
    <main class="sign-in">
      <section>
        <h1>Sign in to flagmeter</h1>
        {isByProvider ? (
          <>
            <Problem text={session.endedBecause.value} />
            <button
              class="primary"
              type="button"
              onClick={() => {
                keepPlace(window);
                location.assign('sign-in');
              }}
            >
              Sign in with your account
            </button>
            <details>
              <summary>Use a token instead</summary>
              <TokenForm endedBecause={undefined} isFirst={false} />
            </details>
          </>
        ) : (
          <TokenForm endedBecause={session.endedBecause.value} isFirst />
        )}
      </section>
    </main>
  );
}

type TokenFormProps = { readonly endedBecause: string | undefined; readonly isFirst: boolean };

/** Keeps a token only if the server accepts it. */
function TokenForm({ endedBecause, isFirst }: TokenFormProps) {
  const { session } = useConsole();
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState(endedBecause);
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setAsking(true);
    const answer = await tryToken(secret.trim());
    setAsking(false);
    if (answer.problem === undefined) session.signIn(secret.trim());
    else
      setProblem(
        answer.problem.status === 401
          ? 'flagmeter does not know this token. Use an ADMIN token or a personal token.'
          : `${answer.problem.message} ${answer.problem.advice}`,
      );
  };
  return (
    <form onSubmit={submit}>
      <label for="token">ADMIN token or personal token</label>
      <input
        id="token"
        type="password"
        autocomplete="off"
        autofocus={isFirst}
        required
        aria-describedby="token-help"
        value={secret}
        onInput={(event) => {
          setSecret(event.currentTarget.value);
        }}
      />
      <p id="token-help" class="muted">
        It stays in this browser tab. <code>make start</code> prints a link that signs in;{' '}
        <code>flagmeter token create</code> makes a token.
      </p>
      <Problem text={problem} />
      <button class="primary" type="submit" disabled={isAsking}>
        Sign in
      </button>
    </form>
  );
}

function Problem({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return null;
  return (
    <p role="alert" class="trouble">
      {text}
    </p>
  );
}
