import type { Tone } from '../../state/chart/counts.ts';

/** Colours of the theme, for a canvas. */
export type Colours = {
  readonly line: (tone: Tone) => string;
  readonly area: (tone: Tone) => string;
  readonly previous: string;
  readonly grid: string;
  readonly text: string;
};

/** The CSS variables as they are now. They change with the theme. */
export function readColours(): Colours {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    line: (tone) => read(tone),
    area: (tone) => read(tone.startsWith('variant') ? tone : `${tone}-area`),
    previous: read('previous'),
    grid: read('hairline'),
    text: read('muted'),
  };
}
