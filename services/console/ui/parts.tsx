import type { ComponentChildren } from 'preact';
import { useConsole } from '../console.ts';
import { formatTime } from '../state/format.ts';
import { hiddenVerdictsSentence } from '../state/sentences/first-pages.ts';
import { formatSentence } from '../state/sentences/server.ts';
import { kindOf } from '../state/verdicts/verdict-kinds.ts';
import type { Verdicts } from '../types.ts';
import { say, contain, visible } from '#base/words';

type NameProps = {
  readonly children: string;
  /** What it says when it is pointed at; the name by default. */
  readonly whole?: string;
};

/** A name that somebody else chose. Its direction marks reach nothing outside, and it can be read whole. */
export function Name({ children, whole = children }: NameProps) {
  return <bdi title={whole}>{contain(visible(children))}</bdi>;
}

/** A text that somebody else wrote. Its direction marks reach nothing outside. */
export function Isolated({ children }: { readonly children: string | null | undefined }) {
  return <bdi>{contain(children ?? '')}</bdi>;
}

/** A sentence of the server about counts. */
export function Sentence({ children }: { readonly children: string }) {
  return <Isolated>{formatSentence(children, useConsole().preferences.zone.value)}</Isolated>;
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

/** Says which verdicts are not among those that were read. */
export function HiddenVerdicts({ of: verdicts }: { readonly of: Verdicts | undefined }) {
  const words = verdicts === undefined ? '' : hiddenVerdictsSentence(verdicts);
  if (words === '') return null;
  return (
    <p class="attention" role="note">
      {words}
    </p>
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
          <a href={link} aria-label={say`${title}: all`}>
            all
          </a>
        )}
      </header>
      {children}
    </section>
  );
}
