import { useState } from 'preact/hooks';
import { tryToken } from '../api/requests/client.ts';
import { useConsole } from '../console.ts';

/** Asks for a token, and keeps it only if the server accepts it. */
export function SignIn() {
  const { session } = useConsole();
  const [secret, setSecret] = useState('');
  const [problem, setProblem] = useState(session.endedBecause.value);
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
    <main class="sign-in">
      <form onSubmit={submit}>
        <h1>Sign in to flagmeter</h1>
        <label for="token">ADMIN token or personal token</label>
        <input
          id="token"
          type="password"
          autocomplete="off"
          autofocus
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
        {problem !== undefined && (
          <p role="alert" class="trouble">
            {problem}
          </p>
        )}
        <button class="primary" type="submit" disabled={isAsking}>
          Sign in
        </button>
      </form>
    </main>
  );
}
