import "./side";
import type { Shape } from "./types.js";
export { helper } from "@app/util";
export interface Store extends Base { get(id: string): Shape; }
export type Id = string | number;
export const enum Colour { Red }
@sealed()
export class Box<T> extends Crate {
    private value = 1;
    constructor(readonly id: Id) { super(); }
    get size(): number { return count(this.value); }
    #secret = () => 2;
    static async open(path: string): Promise<Box<string>> {
        const local = (x: number) => new Other(x);
        return local(1) as any;
    }
}
export const LIMIT = 10, OTHER = 11;
export default function main(): void { Box.open("x"); }
abstract class Abs { abstract todo(): void; }
export namespace Deep { export function inner(): void {} }
