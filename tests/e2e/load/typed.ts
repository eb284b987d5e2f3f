// TypeScript: an import of types alone, an enum, a generic class, a parameter property.
import http, { RefinedResponse } from 'k6/http';
import { check } from 'k6';
import type { Options } from 'k6/options';

export const options: Options = { iterations: 1 };

enum Level { Low = 1, High }

class Box<T extends object> {
  private items: T[] = [];
  constructor(public readonly label: string) {}
  add(item: T): this { this.items.push(item); return this; }
  get size(): number { return this.items.length; }
}

export default function (): void {
  const res: RefinedResponse<'text'> = http.get(`${__ENV.BASE}/echo`);
  const box = new Box<{ id: number }>('b').add({ id: Level.High });
  check(res, {
    status: (r) => r.status === 200,
    size: () => box.size === 1 && box.label === 'b',
    level: () => Level[2] === 'High' && (res as any).status! === 200,
  });
  const where = new Error('here') as Error;
  console.log(where.stack!.split('\n')[0]);
}
