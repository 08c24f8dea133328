import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { tryCredential } from '../../api/requests/client.ts';
import { useConsole } from '../../console.ts';
import { say } from '#base/words';
import { keepPlace } from '../../state/app/place.ts';
import type { Caller } from '../../types.ts';

/** Leads to the identity provider, if there is one, and asks for a token. */
export function SignIn() {
  const { session } = useConsole();
  return (
    <main class="sign-in">
      <section>
        <h1>Sign in to flagmeter</h1>
        <Ways
          onToken={session.signIn}
          providerButton={
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
          }
        />
      </section>
    </main>
  );
}

type WaysProps = Pick<TokenFormProps, 'onToken'> & {
  /** Shown if there is an identity provider. */
  readonly providerButton: ComponentChildren;
};

/** The ways to sign in, and why that is necessary. */
export function Ways({ onToken, providerButton }: WaysProps) {
  const { authType, endedBecause } = useConsole().session;
  if (authType !== 'oidc') return <TokenForm endedBecause={endedBecause.value} isFirst onToken={onToken} />;
  return (
    <>
      <Problem text={endedBecause.value} />
      {providerButton}
      <details>
        <summary>Use a token instead</summary>
        <TokenForm endedBecause={undefined} isFirst={false} onToken={onToken} />
      </details>
    </>
  );
}

type TokenFormProps = {
  readonly endedBecause: string | undefined;
  readonly isFirst: boolean;
  /** Called with a token that the server accepts. */
  readonly onToken: (secret: string, caller: Caller) => void;
};

/** Asks for a token until the server accepts one. */
function TokenForm({ endedBecause, isFirst, onToken }: TokenFormProps) {
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState(endedBecause);
  const [isAsking, setAsking] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setAsking(true);
    const answer = await tryCredential(secret.trim());
    setAsking(false);
    if (answer.problem === undefined) onToken(secret.trim(), answer.body);
    else
      setProblem(
        answer.problem.status === 401
          ? 'flagmeter does not know this token. Use an ADMIN token or a personal token.'
          : say`${answer.problem.message} ${answer.problem.advice}`,
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
