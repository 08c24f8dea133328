import { HttpProblem } from '#base/http';
import type { BodyForm } from '../body-forms.ts';
import type { Publication } from '../publish/publisher.ts';

/** Throws a 413 if one of the messages is longer than the form allows. */
export function checkMessageLength(
  { applications = '', counts }: Publication,
  { maxMessageBytes = Infinity }: Pick<BodyForm, 'maxMessageBytes'>,
): void {
  if (Math.max(applications.length, counts?.length ?? 0) > maxMessageBytes) throw tooManyNames();
}

export function tooManyNames(): HttpProblem {
  return new HttpProblem(413, 'The body has too many different names. Send it in smaller parts.', {
    bodyProblem: 'too_many_names',
  });
}
