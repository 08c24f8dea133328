import type { ComponentChildren } from 'preact';
import { useCallback, useRef, useState } from 'preact/hooks';
import { type Read, useReading } from '../../api/requests/resource.ts';
import type { Path } from '../../state/paths/path.ts';
import { Skeleton, Trouble } from '../loaded.tsx';
import { Dialog } from './dialog.tsx';

type Props<T> = {
  readonly title: string;
  /** Where the record is read, with its version. */
  readonly path: Path;
  readonly onClose: () => void;
  /** The form. */
  readonly children: (record: T, etag: string | undefined) => ComponentChildren;
};

/**
 * Reads what a form changes when it is opened, never an earlier answer. The form keeps what its reader saw first, although the page reads
 * the record again meanwhile.
 */
export function Opened<T>({ title, path, onClose, children }: Props<T>) {
  const [at] = useState(() => performance.now());
  const read = useCallback<Read<T>>((api, signal) => api.get<T>(path, signal), [path.text]);
  const { data, etag, problem } = useReading(`${path.text} opened at ${at}`, read);
  const first = useRef<{ readonly record: T; readonly etag: string | undefined }>(undefined);
  if (data !== undefined) first.current ??= { record: data, etag };
  if (first.current !== undefined) return <>{children(first.current.record, first.current.etag)}</>;
  return (
    <Dialog title={title} onClose={onClose}>
      {problem === undefined ? <Skeleton lines={4} /> : <Trouble problem={problem} />}
    </Dialog>
  );
}
