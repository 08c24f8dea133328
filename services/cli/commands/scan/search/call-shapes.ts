/** How much of the text before a name may belong to its call: a generic type, a context, a label. */
const LOOK_BACK = 240;

const KINDS = '(?:Boolean|Bool|String|Number|Integer|Int|Long|Double|Float|Object|Struct)';
const KINDS_IN_LOWER_CASE = '(?:boolean|bool|string|number|integer|int|float|object|struct)';

/** The functions of SDKs whose first argument is the name of a feature. */
const FUNCTIONS = [
  // Unleash: Node, Java, Kotlin, PHP, Swift, .NET, Go; Spring has the annotation @Toggle.
  '(?:is|Is)(?:Enabled|Disabled)(?:Async)?',
  '(?:get|Get|forceGet)Variant(?:Async)?',
  '@Toggle',
  // Unleash: Python, Rust, Ruby.
  'is_(?:enabled|disabled)(?:_str)?\\??',
  '(?:enabled|disabled)\\?',
  'if_(?:enabled|disabled)',
  'get_variant(?:_str)?',
  // Unleash and OpenFeature: React, Vue, Svelte.
  'use(?:Flag|Variant|SuspenseFlag)',
  `use(?:Suspense)?${KINDS}Flag(?:Value|Details)`,
  // OpenFeature: Node, Java, PHP, .NET, Python, Ruby, Rust.
  `[gG]et${KINDS}(?:Value|Details)(?:Async)?`,
  `(?:get|fetch)_${KINDS_IN_LOWER_CASE}_(?:value|details)(?:_async)?`,
];

/** `useFlag('`, `is_enabled? :` and the like, up to where the name begins. */
const BEFORE_STRING = new RegExp(
  [
    `(?<![\\p{L}\\p{N}_])(?:${FUNCTIONS.join('|')})`,
    '(?:<[^<>()\\n]{0,80}>)?',
    '(?:\\s*\\(|[ \\t])\\s*',
    '(?:[A-Za-z_]\\w*\\s*[:=]\\s*)?',
    '[&@]?["\'`]$',
  ].join(''),
  'u',
);

/**
 * OpenFeature in Go has a context first: `client.BooleanValue(ctx, "`, `client.Boolean(r.Context(), "`. Without one these are
 * conversions, or fields of a log.
 */
const BEFORE_STRING_IN_GO = new RegExp(
  `\\.${KINDS}(?:Value(?:Details)?)?\\(\\s*[^,"'\`\\n]{0,60}(?:[cC]tx|[cC]ontext)[^,"'\`\\n]{0,20},\\s*["\`]$`,
  'u',
);

/** Rust and Ruby name features by variants of an enumeration and by symbols. */
const BEFORE_IDENTIFIER =
  /(?<![\p{L}\p{N}_])(?:(?:is_enabled|get_variant)\s*\(\s*&?\w+(?:::\w+){0,5}::|(?:is_)?(?:enabled|disabled)\?[ (]\s*:)$/u;

/** Whether the text from `start` to `end`, which is a name, is an argument of an SDK. */
export function isCall(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - LOOK_BACK), start);
  if (!isQuoted(text, start, end)) return BEFORE_IDENTIFIER.test(before);
  return BEFORE_STRING.test(before) || BEFORE_STRING_IN_GO.test(before);
}

/** Whether the name is a whole string. */
export function isQuoted(text: string, start: number, end: number): boolean {
  const quote = text[start - 1] ?? '';
  return `"'\``.includes(quote) && quote !== '' && text[end] === quote;
}
