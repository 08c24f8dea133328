type BodyProblem = { readonly title: string; readonly advice: string };

/** What the sender or the operator can do about each problem of a body. */
const PROBLEMS: Readonly<Record<string, BodyProblem>> = {
  content_type: {
    title: 'Wrong content type',
    advice: 'Send Content-Type: application/json. A proxy may have removed it.',
  },
  charset: { title: 'Wrong charset', advice: 'Send the body in UTF-8.' },
  content_encoding: {
    title: 'Unknown compression',
    advice: 'Compress with gzip or deflate, or not at all.',
  },
  incomplete: {
    title: 'Incomplete body',
    advice: 'The client left, or a proxy cut the body. Compare the timeouts of both.',
  },
  undecodable: {
    title: 'Broken compression',
    advice: 'The body does not match its Content-Encoding. A proxy may have decompressed it.',
  },
  too_large: { title: 'Too large', advice: 'Send smaller bodies, or raise MAX_BODY_BYTES.' },
  too_many_names: { title: 'Too many names', advice: 'Send the body in smaller parts.' },
  empty: { title: 'Empty body', advice: 'Look for a proxy or a redirect that drops the body.' },
  not_utf8: { title: 'Not UTF-8', advice: 'Send the body in UTF-8.' },
  byte_order_mark: { title: 'Byte order mark', advice: 'Write the body without a byte order mark.' },
  not_json: { title: 'Not JSON', advice: 'Look at the body that this sender produces.' },
  schema: {
    title: 'Wrong form',
    advice: 'Correct the member at the place, or update the SDK. The whole body is rejected.',
  },
  invalid: { title: 'Not accepted', advice: 'The message says what is wrong.' },
  no_token: { title: 'No token', advice: 'Set an API token in the sender. A proxy may have removed it.' },
  unknown_token: {
    title: 'Unknown token',
    advice: 'Give the sender a valid token: this one was revoked, has ended or never existed.',
  },
  wrong_token_type: {
    title: 'Wrong type of token',
    advice: 'Servers and relays need a client token, browsers a frontend token.',
  },
  rate_limit: {
    title: 'Too many requests',
    advice: 'Send less often, or raise the limit of the token.',
  },
};

/** A newer server may have problems that this page does not know. */
export function bodyProblemOf(problem: string): BodyProblem {
  return (
    PROBLEMS[problem] ?? { title: problem.replaceAll('_', ' '), advice: 'The message says what is wrong.' }
  );
}
