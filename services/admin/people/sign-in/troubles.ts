import { HttpProblem, addressOf } from '#base/http';
import type { NoteRejection } from '../../http/requests/rejections.ts';
import type { TypedMiddleware } from '../../http/typed-middleware.ts';
import type { Person } from './rules.ts';
import { type Trouble, showTrouble } from './page.ts';
import { ProviderError, type ProviderFailure } from './provider.ts';
import type { SignInLog } from './sign-in-log.ts';

export type Parts = {
  readonly signInLog: SignInLog;
  /** Whether the error means that Postgres is unreachable or too slow. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly noteRejection: NoteRejection;
};

/** As the audit names it. Whoever signs in is not known yet. */
const SIGN_IN = { id: 'signIn', method: 'post' } as const;

/** Somebody gets no session, and a page that says why. */
export class Refused extends Error {
  readonly trouble: Trouble;
  /** Undefined if the provider has not named anybody. */
  readonly person: Pick<Person, 'issuer' | 'subject'> | undefined;

  constructor(trouble: Trouble, person?: Pick<Person, 'issuer' | 'subject'>) {
    super(trouble.title);
    this.trouble = trouble;
    this.person = person;
  }
}

/** People see a page, not the JSON of the API. */
export function showTroubles({ signInLog, isUnavailable, noteRejection }: Parts): TypedMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { issuer, subject } = (error instanceof Refused && error.person) || {};
      const parameters = issuer === undefined || subject === undefined ? {} : { issuer, subject };
      const note = (status: Trouble['status']) => {
        const reason = error instanceof Error ? error.message : '';
        noteRejection({ from: ctx, operation: SIGN_IN, parameters }, new HttpProblem(status, reason));
      };
      const warn = (fields: object): void => {
        signInLog.ofStranger(addressOf(ctx.ip), fields, 'sign-in failed');
      };
      if (error instanceof Refused) {
        note(error.trouble.status);
        showTrouble(ctx, error.trouble);
      } else if (error instanceof ProviderError) {
        warn({ failure: error.failure, reason: error.message });
        note(TROUBLES[error.failure].status);
        showTrouble(ctx, TROUBLES[error.failure]);
      } else if (isUnavailable(error)) {
        warn({ err: error });
        showTrouble(ctx, NO_DATABASE);
      } else throw error;
    }
  };
}

export const NOT_BEGUN: Trouble = {
  status: 400,
  title: 'This sign-in did not begin here',
  advice:
    'It took longer than ten minutes, began in another browser, was finished before, or many others began after it.',
};

export const NO_ROLE: Trouble = {
  status: 403,
  title: 'Your account may not use flagmeter',
  advice:
    'It is in none of the groups that have a role. Ask those who manage the groups of your identity provider.',
};

export const NO_GROUPS: Trouble = {
  status: 403,
  title: 'flagmeter does not know your groups',
  advice:
    'The identity provider did not send them, or not as a list of texts, so your roles have not changed. People in very many groups need a shorter list: ask those who manage the identity provider. The log of flagmeter names the claim.',
};

export const NAME_TAKEN: Trouble = {
  status: 409,
  title: 'flagmeter has another user with your e-mail address or name',
  advice:
    'An Admin can delete that user, or revoke the token that acts with this name. What either did keeps the name.',
};

export const TOO_OFTEN: Trouble = {
  status: 429,
  title: 'You have signed in too often',
  advice: 'Your browsers may not keep the cookie of the session. Try again in an hour.',
};

const NO_DATABASE: Trouble = {
  status: 503,
  title: 'flagmeter cannot reach its database',
  advice: 'Try again in a minute.',
};

export const BUSY: Trouble = {
  status: 503,
  title: 'Too many people sign in at the moment',
  advice: 'Try again in a few seconds.',
};

const TROUBLES: Readonly<Record<ProviderFailure, Trouble>> = {
  away: {
    status: 503,
    title: 'The identity provider cannot be reached',
    advice: 'Try again in a minute. People who are signed in already are not affected.',
  },
  denied: {
    status: 403,
    title: 'The identity provider did not sign you in',
    advice: 'You may have cancelled, or the provider does not allow your account to use flagmeter.',
  },
  invalid: {
    status: 400,
    title: 'The answer of the identity provider is not valid',
    advice: 'Sign in again. If it stays, the log of flagmeter says what is wrong.',
  },
};
