import Foundation

public typealias Id = Int
let limit = 10

public protocol Priced {
    associatedtype Currency
    var total: Int { get }
    func price(of id: Id) -> Int
}

public final class Cart<T: Item>: Base, Priced {
    private var items: [T] = []
    var total: Int { items.count }
    init(items: [T]) { self.items = items }
    deinit { log() }
    @discardableResult
    public func price(of id: Id) -> Int {
        func local() -> Int { 1 }
        return local()
    }
}

struct Money { let cents: Int }
enum Level { case low, high(Int) }
actor Store { func read() async {} }
extension Cart { func empty() -> Bool { items.isEmpty } }
func main() { print(Cart(items: [])) }
