import type { ComponentChildren } from 'preact';
import type { Problem } from '../api/requests/problem.ts';
import type { Resource } from '../api/requests/resource.ts';
import { formatAge } from '../state/format.ts';
import { Isolated } from './parts.tsx';
import { useNow } from './now.ts';

type Props<T> = {
  readonly of: Resource<T>;
  /** Number of lines that the content will have. */
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
};

/** The content, a skeleton of its size, or the problem. After a problem, old content stays, greyed, with its age. */
export function Loaded<T>({ of: { data, problem, readAt }, lines = 3, children }: Props<T>) {
  if (data === undefined)
    return problem === undefined ? <Skeleton lines={lines} /> : <Trouble problem={problem} />;
  const isStale = problem !== undefined && readAt !== undefined;
  // The content keeps its place, so that a form in it keeps what somebody has typed.
  return (
    <>
      {isStale && (
        <p class="trouble" role="status">
          As of <Age since={readAt} /> ago. <Isolated>{problem.message}</Isolated> {problem.advice}
        </p>
      )}
      <div class={isStale ? 'stale' : 'loaded'}>{children(data)}</div>
    </>
  );
}

export function Trouble({ problem }: { readonly problem: Problem }) {
  return (
    <div class="trouble" role="alert">
      <p>
        <Isolated>{problem.message}</Isolated> {problem.advice}
      </p>
      {problem.details.map((detail) => (
        <p key={detail}>
          <Isolated>{detail}</Isolated>
        </p>
      ))}
    </div>
  );
}

export function Skeleton({ lines }: { readonly lines: number }) {
  return (
    <div class="skeleton" role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

/** The time since then, each second anew. */
export function Age({ since }: { readonly since: number }) {
  return <span class="number">{formatAge(Math.max(0, useNow() - since))}</span>;
}
