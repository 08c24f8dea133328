import type { ComponentChildren } from 'preact';
import { useConsole } from '../console.ts';
import { formatSentence, formatTime } from '../state/format.ts';
import { kindOf } from '../state/verdict-kinds.ts';

/** A name that somebody else chose. Its direction marks reach nothing outside, and it can be read whole. */
export function Name({ children }: { readonly children: string }) {
  return <bdi title={children}>{children}</bdi>;
}

/** A sentence of the server about counts. */
export function Sentence({ children }: { readonly children: string }) {
  return <bdi>{formatSentence(children)}</bdi>;
}

/** A time in the zone of the switch. */
export function Time({ at }: { readonly at: string | number }) {
  const zone = useConsole().preferences.zone.value;
  const iso = new Date(at).toISOString();
  return (
    <time class="number" dateTime={iso} title={iso}>
      {formatTime(at, zone)}
    </time>
  );
}

/** Verdicts in a row, each kind once. */
export function VerdictBadges({ verdicts }: { readonly verdicts: readonly { readonly verdict: string }[] }) {
  const kinds = [...new Set(verdicts.map(({ verdict }) => verdict))].map(kindOf);
  return (
    <span class="badges">
      {kinds.map(({ title, tone }) => (
        <span key={title} class={`badge ${tone}`}>
          {title}
        </span>
      ))}
    </span>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

type SectionProps = { readonly title: string; readonly children: ComponentChildren; readonly link?: string };

/** A part of a page with its title and a link to the whole. */
export function Section({ title, children, link }: SectionProps) {
  return (
    <section>
      <header>
        <h2>{title}</h2>
        {link !== undefined && (
          <a href={link} aria-label={`${title}: all`}>
            all
          </a>
        )}
      </header>
      {children}
    </section>
  );
}
