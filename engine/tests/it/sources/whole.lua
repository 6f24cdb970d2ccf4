local tax = require("shop.tax")
local Cart = {}
Cart.__index = Cart

local LIMIT <const> = 10

function Cart.new(items)
  return setmetatable({ items = items }, Cart)
end

function Cart:total(rate)
  local function inner(x) return x * rate end
  return inner(#self.items)
end

local function helper(a, ...) return a end
local twice = function(x) return x * 2 end
Cart.extra = function() end

return { Cart = Cart, run = function() return helper(tax) end }
