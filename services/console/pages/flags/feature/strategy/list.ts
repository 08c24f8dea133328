import { useRef, useState } from 'preact/hooks';

/** Items of a form that can be added, changed and removed. */
export type List<T> = {
  /** The key stays with the item, so that its fields keep what was typed. */
  readonly items: readonly { readonly key: number; readonly value: T }[];
  readonly values: readonly T[];
  readonly add: (value: T) => void;
  readonly change: (key: number, value: T) => void;
  readonly remove: (key: number) => void;
  /** New items with new fields. */
  readonly replace: (values: readonly T[]) => void;
};

export function useList<T>(initial: readonly T[]): List<T> {
  const last = useRef(0);
  const itemOf = (value: T) => ({ key: (last.current += 1), value });
  const [items, setItems] = useState(() => initial.map(itemOf));
  return {
    items,
    values: items.map(({ value }) => value),
    add(value) {
      setItems([...items, itemOf(value)]);
    },
    change(key, value) {
      setItems(items.map((item) => (item.key === key ? { key, value } : item)));
    },
    remove(key) {
      setItems(items.filter((item) => item.key !== key));
    },
    replace(values) {
      setItems(values.map(itemOf));
    },
  };
}
