using System;
using System.Collections.Generic;
using static Shop.Tax.Rates;
using Text = Shop.Text.Words;

namespace Shop.Carts;

public delegate void Changed(Cart cart);

[Serializable]
public sealed class Cart<T> : Base, IPriced where T : Item
{
    public const int Limit = 10;
    private readonly List<T> items, spare;
    public event EventHandler Emptied;
    public string Name { get; set; } = "x";
    public int Count => items.Count;
    public Cart(List<T> items) => this.items = items;
    ~Cart() { }

    public async Task<Money> Total(Rates rates)
    {
        int Local(int x) => x + 1;
        var money = new Money(Local(1));
        return await rates.Apply<Money>(money);
    }
}

public interface IPriced { Money Total(Rates rates); }
public record Money(long Cents, string Currency);
public readonly struct Pair { public int A { get; init; } }
public enum Level { Low, High = 2 }
