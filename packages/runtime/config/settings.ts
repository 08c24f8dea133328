/** A setting with any text. */
export const text = (defaultValue: string, description: string) =>
  ({ type: 'string', default: defaultValue, description }) as const;

/** `why` explains what a value outside the bounds would break. */
export type Bounds = { readonly min: number; readonly max: number; readonly why?: string };

/** A setting with a whole number. */
export const whole = (defaultValue: number, { min, max, why = '' }: Bounds, description: string) =>
  ({ type: 'integer', default: defaultValue, minimum: min, maximum: max, why, description }) as const;

/** A setting with a list of token secrets. */
export const tokens = (format: 'tokens' | 'admin-tokens') =>
  ({
    type: 'string',
    default: '',
    format,
    description: 'comma separated, project:environment.secret',
  }) as const;
