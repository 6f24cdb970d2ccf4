library shop;
import 'dart:async';
import 'package:shop/tax.dart' as tax;
part 'cart.g.dart';

typedef Id = int;
const limit = 10;
final Map<String, int> counts = {};

mixin Priced on Base { int get total; }

abstract class Cart<T extends Item> extends Base with Priced implements Comparable<Cart> {
  Cart(this.items);
  Cart.empty() : items = const [];
  factory Cart.of(List<T> items) => Cart(items);
  final List<T> items;
  int get total => items.length;
  set first(T item) { items[0] = item; }
  Future<int> price(Id id) async { return tax.rate(id); }
  void clear();
}

enum Level { low, high; int weight() => index; }
extension Twice on int { int twice() => this * 2; }
int parse(String text) => int.parse(text);
void main() { print(parse('1')); }
