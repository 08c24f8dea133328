/** A setting that is any text. */
export const text = (defaultValue: string, description: string) =>
  ({ type: 'string', default: defaultValue, description }) as const;

/** `why` says what a value beyond the bounds would break. */
export type Bounds = { readonly min: number; readonly max: number; readonly why?: string };

/** A setting that is a whole number. */
export const whole = (defaultValue: number, { min, max, why = '' }: Bounds, description: string) =>
  ({ type: 'integer', default: defaultValue, minimum: min, maximum: max, why, description }) as const;

/** A list of secrets of tokens. */
export const tokens = (format: 'tokens' | 'admin-tokens') =>
  ({
    type: 'string',
    default: '',
    format,
    description: 'comma separated, project:environment.secret',
  }) as const;
