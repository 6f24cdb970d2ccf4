package org.example.shop

import org.example.tax.Rates
import org.example.text.*
import org.example.log.Logger as Log

typealias Id = Long
const val LIMIT = 10

data class Cart<T : Item>(val items: List<T>, private val rates: Rates) : Priced {
    val total: Money
        get() = rates.apply(items)

    override fun price(discount: Int): Money {
        fun local() = 1
        return items.sum()
    }

    companion object Factory {
        fun empty() = Cart(emptyList())
    }
}

interface Priced {
    fun price(discount: Int): Money
}
enum class Level {
    LOW,
    HIGH;

    fun weight() = ordinal
}
object Registry {
    val all = mutableListOf<Cart>()
}
fun <T> List<T>.second(): T = this[1]
suspend fun main() = println(Registry.all)
