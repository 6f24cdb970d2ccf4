package org.example.shop;

import java.util.List;
import org.example.tax.Rates;
import static org.example.tax.Rates.standard;
import org.example.text.*;

/** A cart. */
@Entity
public final class Cart<T extends Item> extends Base implements Priced, Cloneable {
    private static final int LIMIT = 10, SPARE = 2;
    private final List<T> items;

    public Cart(List<T> items) { this.items = items; }

    @Override
    public Money total(Rates rates) throws TaxException {
        return items.stream().map(Item::price).reduce(Money.zero(), rates::apply);
    }

    static class Line {
        int count() { return new Counter(1).get(); }
    }
}

interface Priced { int SCALE = 2; Money total(Rates rates); default boolean free() { return false; } }
enum Level { LOW, HIGH { int weight() { return 2; } }; int weight() { return 1; } }
record Money(long cents, String currency) { Money { check(cents); } static Money zero() { return null; } }
@interface Entity { String name() default ""; }
