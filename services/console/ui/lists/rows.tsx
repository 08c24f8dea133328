import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { type Order, nextOrder, parseOrder } from '../../state/order.ts';
import { PHONE, useMedia } from '../media.ts';
import { useWindowed } from './windowed.ts';

export type Column<T> = {
  readonly id: string;
  readonly title: string;
  /** CSS width; the rest is shared. */
  readonly width?: string;
  readonly isNumber?: boolean;
  /** Left out of the cards of a phone. */
  readonly isWide?: boolean;
  readonly isSortable?: boolean;
  /** What its number counts, said after it in the cards of a phone, which have no titles. */
  readonly label?: string;
  readonly show: (item: T) => ComponentChildren;
};

type Props<T> = {
  readonly caption: string;
  /** The first column names the row. */
  readonly columns: readonly Column<T>[];
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
};

const ROW_PX = 40;
const CARD_PX = 72;

/** One line per row, or one card on a phone. Long lists are windowed. The order is in the URL. */
export function Rows<T>({ caption, columns, items, keyOf }: Props<T>) {
  const rowHeight = useMedia(PHONE) ? CARD_PX : ROW_PX;
  const { element, from, to } = useWindowed(items.length, rowHeight);
  const shown = items.slice(from, to);
  return (
    <table class="rows" aria-rowcount={items.length + 1}>
      <caption class="visually-hidden">{caption}</caption>
      <colgroup>
        {columns.map(({ id, width }) => (
          <col key={id} style={width === undefined ? {} : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {columns.map((column) => (
            <Title key={column.id} column={column} />
          ))}
        </tr>
      </thead>
      <tbody ref={element}>
        <Space rows={from} height={rowHeight} columns={columns.length} />
        {shown.map((item, index) => (
          <Row key={keyOf(item)} columns={columns} item={item} place={from + index + 2} />
        ))}
        <Space rows={items.length - to} height={rowHeight} columns={columns.length} />
      </tbody>
    </table>
  );
}

function Title<T>({
  column: { id, title, isNumber = false, isSortable = false },
}: {
  readonly column: Column<T>;
}) {
  const { router } = useConsole();
  const order: Order | undefined = parseOrder(router.route.value.query['sort']);
  const sort =
    order?.by === id ? ({ up: 'ascending', down: 'descending' } as const)[order.direction] : undefined;
  return (
    <th scope="col" class={isNumber ? 'right' : ''} aria-sort={sort}>
      {isSortable ? (
        <button
          type="button"
          onClick={() => {
            router.change({ sort: nextOrder(order, id) });
          }}
        >
          {title}
          {sort !== undefined && (sort === 'ascending' ? ' ↑' : ' ↓')}
        </button>
      ) : (
        title
      )}
    </th>
  );
}

type RowProps<T> = { readonly columns: readonly Column<T>[]; readonly item: T; readonly place: number };

/** Typing in a search moves most rows but changes none, so the cells of a row are kept. */
function Row<T>({ columns, item, place }: RowProps<T>) {
  const cells = useMemo(
    () =>
      columns.map((column, at) => <Cell key={column.id} column={column} item={item} isFirst={at === 0} />),
    [columns, item],
  );
  return <tr aria-rowindex={place}>{cells}</tr>;
}

type CellProps<T> = { readonly column: Column<T>; readonly item: T; readonly isFirst: boolean };

function Cell<T>({ column, item, isFirst }: CellProps<T>) {
  const { show, isNumber = false, isWide = false, label } = column;
  const className = [isNumber ? 'right' : '', isWide ? 'wide' : ''].join(' ').trim();
  return isFirst ? (
    <th scope="row" class={className}>
      {show(item)}
    </th>
  ) : (
    <td class={className}>
      {show(item)}
      {label !== undefined && <span class="phone"> {label}</span>}
    </td>
  );
}

/** Holds the place of rows that are not in the document. */
function Space({
  rows,
  height,
  columns,
}: {
  readonly rows: number;
  readonly height: number;
  readonly columns: number;
}) {
  if (rows <= 0) return null;
  return (
    <tr class="space" aria-hidden="true">
      <td colSpan={columns} style={{ height: `${rows * height}px`, display: 'table-cell' }} />
    </tr>
  );
}
