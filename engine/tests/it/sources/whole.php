<?php
declare(strict_types=1);

namespace Shop\Carts;

use Shop\Tax\Rates;
use function Shop\Text\clean;

const LIMIT = 10;

interface Priced { public function total(Rates $rates): int; }
trait Counted { protected int $count = 0; public function count(): int { return $this->count; } }

#[Entity]
abstract class Cart extends Base implements Priced
{
    use Counted;
    public const SCALE = 2;
    private array $items = [];
    public function __construct(private readonly Rates $rates) {}
    public static function open(string $path): static { return new static(); }
    abstract protected function clear(): void;
}

enum Level: string { case Low = 'low'; case High = 'high'; public function weight(): int { return 1; } }
function main(array $argv): void { echo clean($argv[1]); }
