defmodule Shop.Cart do
  @moduledoc "A cart."
  alias Shop.Tax
  use GenServer

  defstruct items: [], total: 0

  @limit 10
  def new(items \\ []), do: %__MODULE__{items: items}

  def total(%__MODULE__{items: items}) when is_list(items) do
    Enum.sum(items) + Tax.rate()
  end

  defp empty?, do: true
  defguard is_small(x) when x < @limit
  defmacro twice(x) do
    quote do: unquote(x) * 2
  end

  defmodule Line do
    def count(line), do: line.count
  end
end

defprotocol Shop.Priced do
  def price(item)
end

defimpl Shop.Priced, for: Shop.Cart do
  def price(cart), do: cart.total
end
