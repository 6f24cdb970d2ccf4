const fs = require("./lib/fs");
import("./lazy.js");
export { a } from "./a.js";
export default class extends Base { run() { fs.read(); } }
class Named { static #count = 0; async *items() {} handler = () => 1; }
function* generate() { yield new Named(); }
exports.build = function () { return 1; };
Named.prototype.extra = () => 2;
export const version = "1";
export const Icon = () => <Svg />;
