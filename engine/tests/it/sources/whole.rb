require "set"
require_relative "shop/tax"

module Shop
  LIMIT = 10

  class Cart < Base
    include Priced
    attr_reader :items

    def initialize(items = [])
      @items = items
    end

    def total
      items.sum { |item| item.price }
    end

    def empty? = items.empty?

    def self.build(*args)
      new(*args)
    end

    class << self
      def open(path) = new(path)
    end
  end

  class Errors::Missing < StandardError; end
end

def main(argv)
  puts Shop::Cart.build(argv)
end
